package dev.patchbay.cdi;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// All devices of some spec directories, as they were when the directories were scanned. Immutable;
/// scan again before the next use, a few small files are read faster than kept in step.
///
/// A device of a later directory hides the one of the same name in an earlier one. The same name in
/// two files of one directory is a conflict: neither is used. A file that is invalid is kept as an
/// error and never hides the others.
public final class CdiRegistry {
  /// Where specs lie on a machine, the weaker directory first.
  public static final List<Path> STANDARD_DIRECTORIES =
      List.of(Path.of("/etc/cdi"), Path.of("/var/run/cdi"));

  private final NavigableMap<CdiName, Entry> devices;
  private final NavigableMap<CdiName, NavigableSet<Path>> conflicts;
  private final NavigableMap<Path, String> errors;

  private record Entry(Path file, CdiSpec spec, CdiSpec.Device device) {}

  private CdiRegistry(
      NavigableMap<CdiName, Entry> devices,
      NavigableMap<CdiName, NavigableSet<Path>> conflicts,
      NavigableMap<Path, String> errors) {
    this.devices = Collections.unmodifiableNavigableMap(devices);
    this.conflicts = Collections.unmodifiableNavigableMap(conflicts);
    this.errors = Collections.unmodifiableNavigableMap(errors);
  }

  /// Reads all files ending in `.json` or `.yaml` that lie directly in these directories. One that
  /// is missing is empty.
  ///
  /// @param directories later ones win
  public static CdiRegistry scan(List<Path> directories) {
    NavigableMap<CdiName, Entry> devices = new TreeMap<>();
    NavigableMap<CdiName, NavigableSet<Path>> conflicts = new TreeMap<>();
    NavigableMap<Path, String> errors = new TreeMap<>();
    for (Path directory : directories) {
      CdiRegistry one = scan(directory);
      errors.putAll(one.errors);
      Set<CdiName> named = new HashSet<>(one.devices.keySet());
      named.addAll(one.conflicts.keySet());
      named.forEach(devices::remove);
      named.forEach(conflicts::remove);
      devices.putAll(one.devices);
      conflicts.putAll(one.conflicts);
    }
    return new CdiRegistry(devices, conflicts, errors);
  }

  private static CdiRegistry scan(Path directory) {
    NavigableMap<CdiName, Entry> devices = new TreeMap<>();
    NavigableMap<CdiName, NavigableSet<Path>> conflicts = new TreeMap<>();
    NavigableMap<Path, String> errors = new TreeMap<>();
    for (Path file : specFiles(directory, errors)) {
      try {
        CdiSpec spec = CdiSpecFile.read(file);
        for (CdiSpec.Device device : spec.devices()) {
          CdiName name = new CdiName(spec.kind(), device.name());
          Entry older = devices.putIfAbsent(name, new Entry(file, spec, device));
          if (older != null)
            conflicts.computeIfAbsent(name, n -> new TreeSet<>(Set.of(older.file))).add(file);
        }
      } catch (IOException e) {
        // A file that was removed since the directory was listed is no error.
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS))
          errors.put(file, String.valueOf(e.getMessage()));
      }
    }
    conflicts.keySet().forEach(devices::remove);
    return new CdiRegistry(devices, conflicts, errors);
  }

  private static List<Path> specFiles(Path directory, NavigableMap<Path, String> errors) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "[!.]*.{json,yaml}")) {
      for (Path entry : entries) if (!Files.isDirectory(entry)) files.add(entry);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException | DirectoryIteratorException e) {
      errors.put(directory, "cannot be listed: " + e);
    }
    Collections.sort(files);
    return files;
  }

  /// The devices that can be given to a container.
  public NavigableSet<CdiName> devices() {
    return Collections.unmodifiableNavigableSet(new TreeSet<>(devices.keySet()));
  }

  /// Why a file, or a directory, could not be used.
  public NavigableMap<Path, String> errors() {
    return errors;
  }

  /// Devices that two or more files of one directory claim, and these files.
  public NavigableMap<CdiName, NavigableSet<Path>> conflicts() {
    return conflicts;
  }

  /// The edits of these devices together: for each in turn those of its spec, if no device before
  /// was of the same spec, then its own.
  ///
  /// @param names fully qualified, `vendor.example/class=name`
  public Resolution resolve(List<String> names) {
    NavigableMap<String, String> unresolved = new TreeMap<>();
    Set<Path> applied = new HashSet<>();
    CdiEdits edits = CdiEdits.NONE;
    for (String text : names) {
      CdiName name = CdiName.problemOf(text).isEmpty() ? CdiName.of(text) : null;
      Entry entry = name == null ? null : devices.get(name);
      if (entry == null) {
        unresolved.put(text, name == null ? CdiName.problemOf(text).orElseThrow() : reason(name));
        continue;
      }
      if (applied.add(entry.file)) edits = edits.and(entry.spec.edits());
      edits = edits.and(entry.device.edits());
    }
    return unresolved.isEmpty()
        ? new Resolution.Resolved(edits)
        : new Resolution.Unresolved(unresolved);
  }

  private String reason(CdiName name) {
    NavigableSet<Path> files = conflicts.get(name);
    if (files != null) return "several spec files of one directory have it: " + files;
    return errors.isEmpty()
        ? "no spec file has it"
        : "no valid spec file has it; invalid: " + errors.keySet();
  }

  /// What became of a container's device names.
  public sealed interface Resolution {
    /// All were found.
    record Resolved(CdiEdits edits) implements Resolution {}

    /// Some were not, and the container must not start.
    ///
    /// @param reasons why, by name as it was asked for
    record Unresolved(Map<String, String> reasons) implements Resolution {
      public Unresolved {
        reasons = Collections.unmodifiableMap(new TreeMap<>(reasons));
      }
    }
  }
}
