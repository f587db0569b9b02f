import static java.lang.classfile.ClassFile.StackMapsOption.GENERATE_STACK_MAPS;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// `java RaiseClassFiles.java FOLDER`: gives classes in the format of Java 5 and older, in the archives of this folder, the format of
/// Java 8 with stack maps. The code stays as it is.
///
/// HotSpot keeps no class of the older formats in an AOT cache. Picocli 4 is built for Java 5; its 160 classes, read and verified at each
/// start, were a fifth of the time until the agent was registered.
final class RaiseClassFiles {
  private static final int OLDEST_IN_A_CACHE = ClassFile.JAVA_6_VERSION;

  private RaiseClassFiles() {}

  public static void main(String[] args) throws IOException {
    List<Path> archives = new ArrayList<>();
    try (var files = Files.newDirectoryStream(Path.of(args[0]), "*.jar")) {
      files.forEach(archives::add);
    }
    archives.sort(null);
    List<URL> urls = new ArrayList<>();
    for (Path archive : archives) urls.add(archive.toUri().toURL());
    try (var loader = new URLClassLoader(urls.toArray(URL[]::new))) {
      var hierarchy =
          ClassHierarchyResolver.ofResourceParsing(loader).orElse(ClassHierarchyResolver.defaultResolver());
      ClassFile format = ClassFile.of(GENERATE_STACK_MAPS, ClassHierarchyResolverOption.of(hierarchy));
      for (Path archive : archives) if (hasOld(archive)) raise(format, archive);
    }
  }

  private static boolean hasOld(Path archive) throws IOException {
    try (var in = new JarFile(archive.toFile())) {
      for (JarEntry entry : in.stream().toList())
        if (isClass(entry)) {
          try (var bytes = in.getInputStream(entry)) {
            if (isOld(bytes.readNBytes(8))) return true;
          }
        }
    }
    return false;
  }

  private static void raise(ClassFile format, Path archive) throws IOException {
    Path raised = archive.resolveSibling(archive.getFileName() + ".raised");
    try (var in = new JarFile(archive.toFile());
        var out = new ZipOutputStream(Files.newOutputStream(raised))) {
      for (JarEntry entry : in.stream().toList()) {
        byte[] bytes = in.getInputStream(entry).readAllBytes();
        if (isClass(entry) && isOld(bytes)) bytes = raise(format, bytes);
        var copy = new ZipEntry(entry.getName());
        copy.setTimeLocal(entry.getTimeLocal());
        out.putNextEntry(copy);
        out.write(bytes);
      }
    }
    Files.move(raised, archive, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    System.out.println("raised the class files of " + archive.getFileName());
  }

  private static byte[] raise(ClassFile format, byte[] old) {
    ClassTransform rewriteCode = ClassTransform.transformingMethodBodies((code, element) -> code.with(element));
    ClassTransform renumber =
        (type, element) -> {
          if (element instanceof ClassFileVersion) type.withVersion(ClassFile.JAVA_8_VERSION, 0);
          else type.with(element);
        };
    return format.transformClass(format.parse(old), rewriteCode.andThen(renumber));
  }

  private static boolean isClass(ZipEntry entry) {
    return entry.getName().endsWith(".class") && !entry.getName().endsWith("-info.class");
  }

  private static boolean isOld(byte[] start) {
    return Short.toUnsignedInt(ByteBuffer.wrap(start).getShort(6)) < OLDEST_IN_A_CACHE;
  }
}
