/// Typed readers of `/sys`, `/proc` and `/dev` under one root. Start at [HostRoot].
@NullMarked
package dev.patchbay.host;

import org.jspecify.annotations.NullMarked;
