package dev.patchbay.http;

/// What is at one path. Asked from several threads at once; must not wait for anybody.
@FunctionalInterface
public interface Page {
  /// The page as it is now.
  Answer answer(Query query);

  /// A page's content.
  ///
  /// @param status of HTTP: 200, 503
  /// @param type of the body, as the header `Content-Type` has it
  record Answer(int status, String type, String body) {
    /// Plain text.
    public static Answer text(int status, String body) {
      return new Answer(status, "text/plain; charset=utf-8", body);
    }
  }
}
