package dev.patchbay.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/// `Documents SHARE VERSION TIME CONFIGURATION.md`: makes the manual pages and the completions in
/// the folder SHARE, where Debian's `/usr/share` has them.
final class Documents {
  private Documents() {}

  public static void main(String[] args) throws IOException {
    Path share = Path.of(args[0]);
    String version = args[1];
    String date = Instant.parse(args[2]).atZone(ZoneOffset.UTC).toLocalDate().toString();
    CommandLine commands = Commands.read();
    CommandSpec root = commands.getCommandSpec();

    for (Map.Entry<String, String> page : new CommandPages(root, date, version).all().entrySet())
      write(manual(share, page.getKey()), page.getValue());
    String keys = Files.readString(Path.of(args[3]));
    write(manual(share, "patchbay.yaml.5"), new ConfigurationPage(date, version).of(keys));

    String name = root.name();
    write(share.resolve("bash-completion/completions").resolve(name), bash(name, commands));
    write(
        share.resolve("zsh/vendor-completions").resolve("_" + name),
        new ZshCompletion(root).toString());
    write(
        share.resolve("fish/vendor_completions.d").resolve(name + ".fish"),
        new FishCompletion(root).toString());
  }

  /// Picocli's, without the line that would make a program of it: it is read by a shell that runs.
  private static String bash(String name, CommandLine commands) {
    return AutoComplete.bash(name, commands).replaceFirst("^#!.*\n", "");
  }

  private static Path manual(Path share, String file) {
    return share.resolve("man/man" + file.substring(file.lastIndexOf('.') + 1)).resolve(file);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
