package dev.patchbay.drivers;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ResourceName;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// One device family with its configuration: a value made from plain arguments, without threads.
public interface Driver {
  /// The driver's name as in the configuration, `device-node`.
  String name();

  /// Looks at the host now. A broken device is a [Scan.Problem], not an exception.
  ///
  /// @throws Exception when nothing at all could be read; other drivers go on, and this one keeps
  ///   its last result
  Scan scan() throws Exception;

  /// Directories (on this machine, that is below the host root) whose entries come or go when
  /// devices do. Asked again after each scan. They need not exist.
  Set<Path> watchedDirectories();

  /// What a container needs to use these devices of one resource.
  ///
  /// @param granted as they were in the newest scan that had them; at least one
  ContainerEdits edits(ResourceName resource, List<OfferedDevice> granted) throws Exception;
}
