package dev.patchbay.kubelet.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.status.AllocatedResources.ResourceHealth;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class AllocatedResourcesTest {
  private static final ResourceName GPU = ResourceName.of("a.b/gpu");
  private static final ResourceName NIC = ResourceName.of("a.b/nic");

  private static SortedSet<DeviceId> ids(String... ids) {
    SortedSet<DeviceId> set = new TreeSet<>();
    for (String id : ids) set.add(DeviceId.of(id));
    return set;
  }

  @Test
  void eachDeviceIsAsItWasListedLastAndOneThatIsNotListedIsHealthy() {
    Map<String, Device> listed =
        Map.of(
            "a.b/gpu/good", Device.healthy("good"),
            "a.b/gpu/bad", Device.unhealthy("bad", "broken"),
            "a.b/nic/gone", Device.unhealthy("gone", "broken"));
    var held = new TreeMap<ResourceName, SortedSet<DeviceId>>();
    held.put(GPU, ids("good", "bad", "gone"));
    held.put(NIC, ids("good"));

    var rows =
        AllocatedResources.of(
            held, (name, id) -> Optional.ofNullable(listed.get(name + "/" + id.value())));

    assertThat(rows.get(GPU))
        .extracting(it -> it.id().value() + " " + it.word())
        .containsExactly("bad Unhealthy", "gone Healthy", "good Healthy");
    assertThat(rows.get(NIC)).isEqualTo(List.of(new ResourceHealth(DeviceId.of("good"), true)));
  }
}
