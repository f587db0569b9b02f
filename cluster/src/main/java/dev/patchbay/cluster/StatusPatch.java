package dev.patchbay.cluster;

import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The strategic merge patch that makes a pod's status what it has to be: what is not there any
/// more is named with null, since a merge would keep it.
final class StatusPatch {
  private StatusPatch() {}

  /// @param uid the patch is refused when the pod of this name is another one by now
  static String of(String uid, PodStatus status, KubernetesSerialization json) {
    Map<String, Object> fields = fields(json.convertValue(status, Map.class));
    for (String mayBeGone : List.of("reason", "message")) fields.putIfAbsent(mayBeGone, null);
    for (String mayBeGone : List.of("containerStatuses", "initContainerStatuses"))
      if (fields.get(mayBeGone) instanceof List<?> list && list.isEmpty())
        fields.put(mayBeGone, null);
      else fields.putIfAbsent(mayBeGone, null);
    fields.computeIfPresent("conditions", (_, conditions) -> withNulls((List<?>) conditions));
    Map<String, Object> patch = new LinkedHashMap<>();
    patch.put("metadata", Map.of("uid", uid));
    patch.put("status", fields);
    return json.asJson(patch);
  }

  private static List<Map<String, Object>> withNulls(List<?> conditions) {
    return conditions.stream()
        .map(it -> {
          Map<String, Object> condition = fields((Map<?, ?>) it);
          for (String mayBeGone : List.of("reason", "message"))
            condition.putIfAbsent(mayBeGone, null);
          return condition;
        })
        .toList();
  }

  private static Map<String, Object> fields(Map<?, ?> untyped) {
    Map<String, Object> fields = new LinkedHashMap<>();
    untyped.forEach((name, value) -> fields.put(String.valueOf(name), value));
    return fields;
  }
}
