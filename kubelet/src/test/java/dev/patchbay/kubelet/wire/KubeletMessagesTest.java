package dev.patchbay.kubelet.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What is on the wire is what the kubelet's own messages have there: names of services and
/// methods, numbers and types of fields (`k8s.io/kubelet`, version 0.37).
class KubeletMessagesTest {
  @Test
  void devicePluginsSpeakV1beta1() {
    assertThat(text(RegisterRequest.getDescriptor().getFile()))
        .isEqualTo(
            """
            v1beta1.Registration/Register(RegisterRequest) Empty
            v1beta1.DevicePlugin/GetDevicePluginOptions(Empty) DevicePluginOptions
            v1beta1.DevicePlugin/ListAndWatch(Empty) stream ListAndWatchResponse
            v1beta1.DevicePlugin/GetPreferredAllocation(PreferredAllocationRequest) PreferredAllocationResponse
            v1beta1.DevicePlugin/Allocate(AllocateRequest) AllocateResponse
            v1beta1.DevicePlugin/PreStartContainer(PreStartContainerRequest) PreStartContainerResponse
            AllocateRequest container_requests=1 ContainerAllocateRequest*
            AllocateResponse container_responses=1 ContainerAllocateResponse*
            CDIDevice name=1 string
            ContainerAllocateRequest devices_ids=1 string*
            ContainerAllocateResponse envs=1 map mounts=2 Mount* devices=3 DeviceSpec* annotations=4 map cdi_devices=5 CDIDevice*
            ContainerPreferredAllocationRequest available_deviceIDs=1 string* must_include_deviceIDs=2 string* allocation_size=3 int32
            ContainerPreferredAllocationResponse deviceIDs=1 string*
            Device ID=1 string health=2 string topology=3 TopologyInfo
            DevicePluginOptions pre_start_required=1 bool get_preferred_allocation_available=2 bool
            DeviceSpec container_path=1 string host_path=2 string permissions=3 string
            ListAndWatchResponse devices=1 Device*
            Mount container_path=1 string host_path=2 string read_only=3 bool
            NUMANode ID=1 int64
            PreStartContainerRequest devices_ids=1 string*
            PreferredAllocationRequest container_requests=1 ContainerPreferredAllocationRequest*
            PreferredAllocationResponse container_responses=1 ContainerPreferredAllocationResponse*
            RegisterRequest version=1 string endpoint=2 string resource_name=3 string options=4 DevicePluginOptions
            TopologyInfo nodes=1 NUMANode*
            """);
  }

  @Test
  void pluginsOfTheRegistrySayWhoTheyAre() {
    assertThat(text(PluginInfo.getDescriptor().getFile()))
        .isEqualTo(
            """
            pluginregistration.Registration/GetInfo(InfoRequest) PluginInfo
            pluginregistration.Registration/NotifyRegistrationStatus(RegistrationStatus) RegistrationStatusResponse
            PluginInfo type=1 string name=2 string endpoint=3 string supported_versions=4 string*
            RegistrationStatus plugin_registered=1 bool error=2 string
            """);
  }

  @Test
  void monitorsAskInV1() {
    assertThat(text(ListPodResourcesRequest.getDescriptor().getFile()))
        .isEqualTo(
            """
            v1.PodResourcesLister/List(ListPodResourcesRequest) ListPodResourcesResponse
            v1.PodResourcesLister/GetAllocatableResources(AllocatableResourcesRequest) AllocatableResourcesResponse
            v1.PodResourcesLister/Get(GetPodResourcesRequest) GetPodResourcesResponse
            AllocatableResourcesResponse devices=1 ContainerDevices* cpu_ids=2 int64* memory=3 ContainerMemory*
            CDIDevice name=1 string
            ClaimResource cdi_devices=1 CDIDevice* driver_name=2 string pool_name=3 string device_name=4 string share_id=5 string
            ContainerDevices resource_name=1 string device_ids=2 string* topology=3 TopologyInfo
            ContainerMemory memory_type=1 string size=2 uint64 topology=3 TopologyInfo
            ContainerResources name=1 string devices=2 ContainerDevices* cpu_ids=3 int64* memory=4 ContainerMemory* dynamic_resources=5 DynamicResource*
            DynamicResource claim_name=2 string claim_namespace=3 string claim_resources=4 ClaimResource*
            GetPodResourcesRequest pod_name=1 string pod_namespace=2 string
            GetPodResourcesResponse pod_resources=1 PodResources
            ListPodResourcesResponse pod_resources=1 PodResources*
            NUMANode ID=1 int64
            PodResources name=1 string namespace=2 string containers=3 ContainerResources* cpu_ids=4 int64* memory=5 ContainerMemory*
            TopologyInfo nodes=1 NUMANode*
            """);
  }

  @Test
  void monitorsAskInV1alpha1() {
    assertThat(
            text(
                dev.patchbay.proto.podresources.v1alpha1.ListPodResourcesRequest.getDescriptor()
                    .getFile()))
        .isEqualTo(
            """
            v1alpha1.PodResourcesLister/List(ListPodResourcesRequest) ListPodResourcesResponse
            ContainerDevices resource_name=1 string device_ids=2 string*
            ContainerResources name=1 string devices=2 ContainerDevices*
            ListPodResourcesResponse pod_resources=1 PodResources*
            PodResources name=1 string namespace=2 string containers=3 ContainerResources*
            """);
  }

  private static String text(FileDescriptor file) {
    Stream<String> methods =
        file.getServices().stream()
            .flatMap(service -> service.getMethods().stream())
            .map(KubeletMessagesTest::text);
    Stream<String> messages =
        file.getMessageTypes().stream()
            .filter(message -> !message.getFields().isEmpty())
            .map(KubeletMessagesTest::text)
            .sorted();
    return Stream.concat(methods, messages).map(line -> line + "\n").collect(Collectors.joining());
  }

  private static String text(MethodDescriptor method) {
    return "%s/%s(%s) %s%s"
        .formatted(
            method.getService().getFullName(),
            method.getName(),
            method.getInputType().getName(),
            method.isServerStreaming() ? "stream " : "",
            method.getOutputType().getName());
  }

  private static String text(Descriptor message) {
    return message.getName()
        + message.getFields().stream()
            .map(field -> " %s=%d %s".formatted(field.getName(), field.getNumber(), type(field)))
            .collect(Collectors.joining());
  }

  private static String type(FieldDescriptor field) {
    if (field.isMapField()) return "map";
    String type =
        field.getJavaType() == JavaType.MESSAGE
            ? field.getMessageType().getName()
            : field.getType().name().toLowerCase(Locale.ROOT);
    return field.isRepeated() ? type + "*" : type;
  }
}
