package dev.patchbay.kubelet.allocation;

import static dev.patchbay.kubelet.inventory.DeviceNotation.devices;
import static dev.patchbay.kubelet.inventory.DeviceNotation.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.model.ResourceName;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The rules of choice, one row each. In the columns, `-` stands for none at all.
class AllocatorTest {
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");
  private static final Allocations.Key KEY = new Allocations.Key("p", "main", GPU);

  /// `others` is what other pods hold, `mine` what the container holds already.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      maxCharsPerColumn = 200,
      textBlock =
          """
          # what                             | devices   | others | mine | reusable | count | decision
          the first by id                    | c a b     | ''     | -    | ''       | 2     | Grant [a, b]
          all there are                      | a b       | ''     | -    | ''       | 2     | Grant [a, b]
          not what others hold               | a b c     | a      | -    | ''       | 2     | Grant [b, c]
          not what is unhealthy              | !a b c    | ''     | -    | ''       | 2     | Grant [b, c]
          none of it                         | a         | ''     | -    | ''       | 0     | Keep
          one too many                       | a b       | ''     | -    | ''       | 3     | requested number of devices unavailable for vendor.example/gpu. Requested: 3, Available: 2
          one too many that others hold      | a b       | b      | -    | ''       | 2     | requested number of devices unavailable for vendor.example/gpu. Requested: 2, Available: 1
          all of them held                   | a b       | a b    | -    | ''       | 1     | requested number of devices unavailable for vendor.example/gpu. Requested: 1, Available: 0
          nobody registered                  | -         | ''     | -    | ''       | 1     | cannot allocate unregistered device vendor.example/gpu
          nothing is listed                  | ''        | ''     | -    | ''       | 1     | no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu
          nothing is healthy                 | !a !b     | ''     | -    | ''       | 1     | no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu
          none of what is not healthy        | !a        | ''     | -    | ''       | 0     | no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu
          what it holds                      | a b       | ''     | b    | ''       | 1     | Keep
          what it holds, nothing else free   | a b       | a      | b    | ''       | 1     | Keep
          what it holds broke                | a !b      | ''     | b    | ''       | 1     | previously allocated devices are no longer healthy; cannot allocate unhealthy devices vendor.example/gpu
          what it holds is gone              | a         | ''     | b    | ''       | 1     | previously allocated devices are no longer healthy; cannot allocate unhealthy devices vendor.example/gpu
          more than it holds                 | a b       | ''     | b    | ''       | 2     | pod "p" container "main" changed request for resource "vendor.example/gpu" from 1 to 2
          less than it holds                 | a b       | ''     | a b  | ''       | 1     | pod "p" container "main" changed request for resource "vendor.example/gpu" from 2 to 1
          more, where nobody registered      | -         | ''     | b    | ''       | 2     | pod "p" container "main" changed request for resource "vendor.example/gpu" from 1 to 2
          reusable ones first                | a b c     | c      | -    | c        | 2     | Grant [a, c]
          of the reusable what is needed     | a b c     | b c    | -    | b c      | 1     | Grant [b]
          reusable ones alone                | a b c     | a b c  | -    | b c      | 2     | Grant [b, c]
          no reusable one that broke         | a b !c    | c      | -    | c        | 2     | Grant [a, b]
          no reusable one that is gone       | a b       | c      | -    | c        | 2     | Grant [a, b]
          too few beside the reusable        | a b c     | a b c  | -    | c        | 2     | requested number of devices unavailable for vendor.example/gpu. Requested: 1, Available: 0
          """)
  void decides(
      String what,
      @Nullable String devices,
      String others,
      @Nullable String mine,
      String reusable,
      long count,
      String decision) {
    Request request =
        new Request(
            KEY, count, ids(reusable), false, false, Optional.empty(), false, Optional.empty());

    assertThat(text(Allocator.decide(inventory(devices), held(others, mine), request)))
        .isEqualTo(decision);
  }

  /// Everything is free but what is reusable; `preferred` is the plugin's answer.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # what                                    | devices                 | nodes | reusable | count | preferred | decision
          near ones first                           | a@0 b@1 c@1             | 1     | ''       | 1     | ''        | Grant [b]
          near ones, all of them                    | a@0 b@1 c@1             | 1     | ''       | 2     | ''        | Grant [b, c]
          far ones before those on no node          | a d@0 c@1               | 1     | ''       | 2     | ''        | Grant [c, d]
          at last those on no node                  | a d@0 c@1               | 1     | ''       | 3     | ''        | Grant [a, c, d]
          no near one at all                        | a b@0                   | 1     | ''       | 1     | ''        | Grant [b]
          nobody knows of nodes                     | a b                     | 1     | ''       | 1     | ''        | Grant [a]
          reusable ones before near ones            | a@0 b@1 c@1             | 1     | a        | 1     | ''        | Grant [a]
          reusable and near                         | a@0 b@1 c@1             | 1     | a        | 2     | ''        | Grant [a, b]
          asks where there is a choice              | a b c                   | -     | ''       | 2     | -         | Ask [a, b, c] must [] size 2
          asks among the near                       | a@0 b@1 c@1             | 1     | ''       | 1     | -         | Ask [b, c] must [] size 1
          does not ask when the near are just right | a@0 b@1 c@1             | 1     | ''       | 2     | -         | Grant [b, c]
          asks for what the near lack               | a@0 b@0 c@1             | 1     | ''       | 2     | -         | Ask [a, b, c] must [c] size 2
          asks with what it has                     | a b c                   | -     | c        | 2     | -         | Ask [a, b, c] must [c] size 2
          does not ask when the reusable do         | a b c                   | -     | c        | 1     | -         | Grant [c]
          asks even when it needs all               | a b c                   | -     | ''       | 3     | -         | Ask [a, b, c] must [] size 3
          takes the answer                          | a b c                   | -     | ''       | 2     | b c       | Grant [b, c]
          takes no foreign one                      | a b c                   | -     | ''       | 2     | x c       | Grant [a, c]
          takes no unhealthy one                    | a b !c                  | -     | ''       | 1     | c         | Grant [a]
          fills up                                  | a b c                   | -     | ''       | 2     | c         | Grant [a, c]
          cuts                                      | a b c                   | -     | ''       | 1     | c b       | Grant [b]
          cannot be led away from the near          | a@0 b@1 c@1 d@1         | 1     | ''       | 2     | a d       | Grant [b, d]
          may choose among the far                  | a@0 b@0 c@1 d           | 1     | ''       | 2     | b         | Grant [b, c]
          may choose no node before the far         | a@0 b@0 c@1 d           | 1     | ''       | 2     | d         | Grant [c, d]
          """)
  void choosesByNodesAndPreference(
      String what,
      String devices,
      @Nullable String nodes,
      String reusable,
      long count,
      @Nullable String preferred,
      String decision) {
    Request request =
        new Request(
            KEY,
            count,
            ids(reusable),
            false,
            false,
            Optional.ofNullable(nodes).map(AffinityGroupsTest::nodes),
            true,
            Optional.ofNullable(preferred).map(answer -> ids(answer)));

    assertThat(text(Allocator.decide(inventory(devices), held(reusable, null), request)))
        .isEqualTo(decision);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # what                    | devices | mine | decision
          its plugin is away        | -       | a    | Keep
          its device broke          | !a      | a    | Keep
          it holds nothing          | a       | -    | Keep
          """)
  void leavesAContainerThatRunsAlone(
      String what, @Nullable String devices, @Nullable String mine, String decision) {
    Request request =
        new Request(
            KEY, 1, new TreeSet<>(), false, true, Optional.empty(), false, Optional.empty());

    assertThat(text(Allocator.decide(inventory(devices), held("", mine), request)))
        .isEqualTo(decision);
  }

  @Test
  void refusesEverythingWhileThePluginIsAway() {
    Request request =
        new Request(
            KEY, 1, new TreeSet<>(), false, false, Optional.empty(), false, Optional.empty());
    Inventory away = inventory("a b").disconnected(GPU, 1, Instant.EPOCH);
    Inventory restarted = Inventory.restored(Set.of(GPU), Instant.EPOCH);

    assertThat(text(Allocator.decide(away, Allocations.EMPTY, request)))
        .startsWith("no healthy devices present");
    assertThat(text(Allocator.decide(restarted, Allocations.EMPTY, request)))
        .startsWith("no healthy devices present");
  }

  private static Inventory inventory(@Nullable String devices) {
    return devices == null
        ? Inventory.EMPTY
        : Inventory.EMPTY.connected(GPU, 1, false).listed(GPU, 1, devices(devices));
  }

  private static Allocations held(String others, @Nullable String mine) {
    Allocations held =
        others.isEmpty()
            ? Allocations.EMPTY
            : Allocations.EMPTY.with(new Allocations.Key("other", "main", GPU), share(others));
    return mine == null ? held : held.with(KEY, share(mine));
  }

  private static Allocations.Held share(String ids) {
    return new Allocations.Held(new TreeMap<>(Map.of(-1, ids(ids))), Optional.empty());
  }

  private static String text(Decision decision) {
    return switch (decision) {
      case Decision.Grant grant -> "Grant " + grant.devices();
      case Decision.Keep _ -> "Keep";
      case Decision.AskPlugin ask ->
          "Ask %s must %s size %d".formatted(ask.available(), ask.mustInclude(), ask.size());
      case Decision.Refusal refusal -> refusal.why();
    };
  }
}
