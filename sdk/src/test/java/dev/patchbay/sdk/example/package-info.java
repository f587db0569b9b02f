/// The README's example, compiled and run.
@NullMarked
package dev.patchbay.sdk.example;

import org.jspecify.annotations.NullMarked;
