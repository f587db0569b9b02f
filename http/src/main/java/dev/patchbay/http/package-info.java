/// What a process says over HTTP. Start at [HttpEndpoint].
///
/// The JDK's `jdk.httpserver` shows in [HttpListener] alone, so that a process that does not listen
/// never loads it. A page is made from values when it is asked for; nothing here knows whose it is.
@NullMarked
package dev.patchbay.http;

import org.jspecify.annotations.NullMarked;
