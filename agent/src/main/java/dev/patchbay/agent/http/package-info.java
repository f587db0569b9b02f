/// What the agent says over HTTP. Start at [HttpEndpoint].
///
/// The JDK's `jdk.httpserver` shows in [HttpListener] alone, so that an agent that does not listen
/// never loads it. A page is made from values when it is asked for; nothing here knows the agent.
@NullMarked
package dev.patchbay.agent.http;

import org.jspecify.annotations.NullMarked;
