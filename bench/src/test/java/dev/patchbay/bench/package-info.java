/// Tests of the benchmark: that it still measures all it names. What it measures has no test here.
@NullMarked
package dev.patchbay.bench;

import org.jspecify.annotations.NullMarked;
