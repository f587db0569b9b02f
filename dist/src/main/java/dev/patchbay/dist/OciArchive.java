package dev.patchbay.dist;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Writes one image as one archive that is an OCI image layout and what `docker load` reads at
/// once: `index.json` names the manifest, `manifest.json` the same configuration and layers in
/// Docker's way.
///
/// @param name repository and tag, as `patchbay.dev/patchbay:1.0`
/// @param created the time of the image and of everything in it
record OciArchive(String name, Instant created) {
  private static final String INDEX = "application/vnd.oci.image.index.v1+json";
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
  private static final String LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
  private static final JsonMapper JSON = new JsonMapper();

  /// One layer.
  ///
  /// @param what what is in it, for those who read the image's history
  record Layer(String what, FileTree tree) {}

  /// How containers of an image start.
  ///
  /// @param architecture in Go's words, `amd64` or `arm64`
  /// @param user number of user and group
  record Start(
      String architecture, String user, List<String> entrypoint, List<String> environment) {}

  private static final class Blob {
    private final String mediaType;
    private final byte[] bytes;
    private final String digest;

    Blob(String mediaType, byte[] bytes) {
      this.mediaType = mediaType;
      this.bytes = bytes;
      this.digest = Digest.sha256(bytes);
    }

    String path() {
      return "blobs/sha256/" + digest;
    }

    SequencedMap<String, Object> descriptor() {
      var descriptor = new LinkedHashMap<String, Object>();
      descriptor.put("mediaType", mediaType);
      descriptor.put("digest", "sha256:" + digest);
      descriptor.put("size", bytes.length);
      return descriptor;
    }
  }

  /// Writes the archive.
  ///
  /// @param labels of the image's configuration, and annotations of its manifest
  void write(Start start, Map<String, String> labels, List<Layer> layers, Path file)
      throws IOException {
    List<Blob> blobs = new ArrayList<>();
    List<String> unpacked = new ArrayList<>();
    for (Layer layer : layers) {
      var tar = new ByteArrayOutputStream();
      new Tar(created, "").write(layer.tree(), tar);
      unpacked.add("sha256:" + Digest.sha256(tar.toByteArray()));
      blobs.add(new Blob(LAYER, Gzip.of(tar.toByteArray())));
    }
    Blob config = new Blob(CONFIG, json(config(start, labels, layers, unpacked)));
    Blob manifest = new Blob(MANIFEST, json(manifest(config, blobs, labels)));

    var archive = new FileTree();
    for (Blob blob : blobs) archive.bytes(blob.path(), blob.bytes);
    archive.bytes(config.path(), config.bytes);
    archive.bytes(manifest.path(), manifest.bytes);
    archive.bytes("index.json", json(index(manifest, start)));
    archive.bytes("oci-layout", json(Map.of("imageLayoutVersion", "1.0.0")));
    archive.bytes("manifest.json", json(List.of(dockerManifest(config, blobs))));
    try (OutputStream out = Files.newOutputStream(file)) {
      new Tar(created, "").write(archive, out);
    }
  }

  private Map<String, Object> config(
      Start start, Map<String, String> labels, List<Layer> layers, List<String> unpacked) {
    var run = new LinkedHashMap<String, Object>();
    run.put("User", start.user());
    run.put("Env", start.environment());
    run.put("Entrypoint", start.entrypoint());
    run.put("WorkingDir", "/");
    run.put("Labels", labels);
    run.put("StopSignal", "SIGTERM");
    var history = new ArrayList<Map<String, Object>>();
    for (Layer layer : layers)
      history.add(ordered("created", created.toString(), "created_by", layer.what()));
    return ordered(
        "created",
        created.toString(),
        "architecture",
        start.architecture(),
        "os",
        "linux",
        "config",
        run,
        "rootfs",
        ordered("type", "layers", "diff_ids", unpacked),
        "history",
        history);
  }

  private static Map<String, Object> manifest(
      Blob config, List<Blob> layers, Map<String, String> labels) {
    return ordered(
        "schemaVersion",
        2,
        "mediaType",
        MANIFEST,
        "config",
        config.descriptor(),
        "layers",
        layers.stream().map(Blob::descriptor).toList(),
        "annotations",
        labels);
  }

  private Map<String, Object> index(Blob manifest, Start start) {
    SequencedMap<String, Object> only = manifest.descriptor();
    only.put("platform", ordered("architecture", start.architecture(), "os", "linux"));
    // The first is what containerd names the image after, the second what skopeo and podman look
    // up.
    only.put(
        "annotations",
        ordered(
            "io.containerd.image.name",
            name,
            "org.opencontainers.image.ref.name",
            name.substring(name.lastIndexOf(':') + 1)));
    return ordered("schemaVersion", 2, "mediaType", INDEX, "manifests", List.of(only));
  }

  private Map<String, Object> dockerManifest(Blob config, List<Blob> layers) {
    return ordered(
        "Config", config.path(),
        "RepoTags", List.of(name),
        "Layers", layers.stream().map(Blob::path).toList());
  }

  private static SequencedMap<String, Object> ordered(Object... keysAndValues) {
    var map = new LinkedHashMap<String, Object>();
    for (int at = 0; at < keysAndValues.length; at += 2)
      map.put(keysAndValues[at].toString(), keysAndValues[at + 1]);
    return map;
  }

  private static byte[] json(Object value) throws IOException {
    return JSON.writeValueAsString(value).getBytes(StandardCharsets.UTF_8);
  }
}
