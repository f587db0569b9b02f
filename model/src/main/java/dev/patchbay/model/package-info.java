/// The values that every part of Patchbay speaks in: resource names, devices and their health, and
/// what a container needs to use them. Start at [Device] and [ContainerEdits].
///
/// Values only: immutable, checked when made, no I/O, no dependency but the JDK. Nothing here is
/// null. The facts come from the device plugin API of Kubernetes (`v1beta1`) and from the rules for
/// extended resource names in `pkg/apis/core/v1/helper`.
@NullMarked
package dev.patchbay.model;

import org.jspecify.annotations.NullMarked;
