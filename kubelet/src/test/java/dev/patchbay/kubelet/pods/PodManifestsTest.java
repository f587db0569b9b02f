package dev.patchbay.kubelet.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.pods.PodSpec.RestartPolicy;
import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PodManifestsTest {
  private static final ResourceName FOO = ResourceName.of("hardware-vendor.example/foo");

  /// The demo pod of the Kubernetes page about device plugins.
  private static final String DEMO =
      """
      ---
      apiVersion: v1
      kind: Pod
      metadata:
        name: demo-pod
      spec:
        containers:
          - name: demo-container-1
            image: registry.k8s.io/pause:3.8
            resources:
              limits:
                hardware-vendor.example/foo: 2
      """;

  @Test
  void readsTheDemoPodOfTheKubernetesPage() {
    PodManifest manifest = PodManifests.read("demo.yaml", DEMO);

    assertThat(manifest.problems()).isEmpty();
    PodSpec pod = manifest.pods().getFirst();
    assertThat(pod.namespace()).isEqualTo("default");
    assertThat(pod.name()).isEqualTo("demo-pod");
    assertThat(pod.restartPolicy()).isEqualTo(RestartPolicy.ALWAYS);
    assertThat(pod.containers().getFirst().limits()).containsExactly(java.util.Map.entry(FOO, 2L));
  }

  @Test
  void readsForWhichResourcesADynamicOneStands() {
    String text =
        DEMO
            + """
            status:
              extendedResourceClaimStatus:
                resourceClaimName: demo-x7
                requestMappings:
                  - {containerName: demo-container-1, resourceName: hardware-vendor.example/foo, requestName: r}
            """;
    PodManifest manifest = PodManifests.read("demo.yaml", text);

    assertThat(manifest.problems()).isEmpty();
    assertThat(manifest.pods().getFirst().draBacked())
        .containsExactly(new PodSpec.DraBacked("demo-container-1", FOO));
    assertThat(manifest.notices())
        .extracting(each -> each.field() + " " + each.why())
        .containsExactly("status.extendedResourceClaimStatus is not prepared here");
    assertThat(
            PodManifests.read(
                    "demo.yaml", text.replace("resourceName: hardware-vendor", "resourceName: -"))
                .problems())
        .hasSize(1);
  }

  @Test
  void readsEverythingAPodCanSayToANode() {
    String text =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: p, namespace: prod, uid: 6f1c, annotations: {a: b}}
        spec:
          restartPolicy: OnFailure
          initContainers:
            - {name: first, image: x, command: [sh, -c], args: [echo]}
            - {name: side, image: x, restartPolicy: Always, resources: {limits: {a.b/c: 1k}}}
          containers:
            - name: main
              image: x
              workingDir: /srv
              env: [{name: A, value: "1"}, {name: B}]
              resources:
                limits: {cpu: 500m, memory: 1Gi, hugepages-2Mi: 2Mi, a.b/c: "3"}
                requests: {cpu: 0.25, a.b/c: 3}
        """;

    PodSpec pod = only(text);

    assertThat(pod.uid()).isEqualTo("6f1c");
    assertThat(pod.annotations()).containsEntry("a", "b");
    assertThat(pod.initContainers())
        .extracting(ContainerSpec::sidecar)
        .containsExactly(false, true);
    assertThat(pod.initContainers().get(0).command()).containsExactly("sh", "-c");
    assertThat(pod.initContainers().get(1).limits()).containsValue(1000L);
    ContainerSpec main = pod.containers().getFirst();
    assertThat(main.env()).containsEntry("A", "1").containsEntry("B", "");
    assertThat(main.workingDir()).isEqualTo("/srv");
    assertThat(main.limits()).containsExactly(java.util.Map.entry(ResourceName.of("a.b/c"), 3L));
  }

  @Test
  void readsJson() {
    String text =
        """
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"j"},
         "spec":{"containers":[{"name":"c","resources":{"limits":{"a.b/c":1}}}]}}
        """;
    assertThat(only(text).name()).isEqualTo("j");
  }

  @Test
  void readsAListOfPods() {
    String text =
        """
        apiVersion: v1
        kind: List
        items:
          - {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}
          - {apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: c}, {name: c}]}}
        """;
    PodManifest manifest = PodManifests.read("f", text);
    assertThat(manifest.pods()).extracting(PodSpec::name).containsExactly("a");
    assertThat(manifest.problems())
        .extracting(Object::toString)
        .containsExactly(
            "f:5: items[1].spec.containers[1].name: \"c\" is the name of another container of this"
                + " pod");
  }

  @Test
  void aBadDocumentDoesNotHideTheGoodOnes() {
    PodManifest manifest =
        PodManifests.read(
            "f.yaml",
            DEMO + "---\napiVersion: v1\nkind: Service\n---\n" + DEMO.replace("demo-pod", "other"));

    assertThat(manifest.pods()).extracting(PodSpec::name).containsExactly("demo-pod", "other");
    assertThat(manifest.problems())
        .extracting(Object::toString)
        .containsExactly("f.yaml:15: kind: is \"Service\"; needed is Pod");
  }

  @Test
  void anAliasStandsForWhatItNames() {
    String text =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: p}
        spec:
          containers:
            - {name: a, resources: &two {limits: {a.b/c: 2}}}
            - {name: b, resources: *two}
        """;
    assertThat(only(text).containers()).allSatisfy(c -> assertThat(c.limits()).containsValue(2L));
  }

  @Test
  void theUidOfAPodWithoutOneChangesWithFileAndContentOnly() {
    String uid = only(DEMO).uid();
    assertThat(only("# comment\n" + DEMO).uid()).isEqualTo(uid);
    assertThat(only(DEMO.replace("foo: 2", "foo: 1")).uid()).isNotEqualTo(uid);
    assertThat(PodManifests.read("other.yaml", DEMO).pods().getFirst().uid()).isNotEqualTo(uid);
  }

  @Test
  void whatIsLeftOutIsSaid() {
    PodManifest manifest =
        PodManifests.read("f", DEMO.indent(0) + "      volumeMounts: [{name: v, mountPath: /v}]\n");
    assertThat(manifest.pods()).hasSize(1);
    assertThat(manifest.notices())
        .extracting(Object::toString)
        .containsExactly(
            "f:13: spec.containers[0].volumeMounts: are left out: this kubelet makes no volumes");
  }

  @ParameterizedTest
  @CsvSource({
    "2,2",
    "0,0",
    "\"2\",2",
    "1k,1000",
    "1Ki,1024",
    "2000m,2",
    "2.0,2",
    "1e3,1000",
    "1E3,1000"
  })
  void takesWholeQuantities(String quantity, long expected) {
    assertThat(only(DEMO.replace("foo: 2", "foo: " + quantity)).containers().getFirst().limits())
        .containsValue(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1.5,is not whole",
    "500m,is not whole",
    "1e-3,is not whole",
    "-1,is negative",
    "9223372036854775808,is too large",
    "1e400000000,is too large",
    "10E,is too large",
    "lots,quantity",
    "1Q,quantity",
    "~,is empty",
    "[1],limits[hardware-vendor.example/foo]"
  })
  void refusesOtherQuantities(String quantity, String why) {
    assertThat(problems(DEMO.replace("foo: 2", "foo: " + quantity)))
        .singleElement()
        .asString()
        .startsWith("f:12: spec.containers[0].resources.limits[hardware-vendor.example/foo]: ")
        .contains(why);
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        fault("no YAML", "a: [", ":1: is not YAML"),
        fault("nothing", "# nothing\n", "holds no pod"),
        fault("a text", "hello", "is no mapping"),
        fault("a version", DEMO.replace("v1", "v2"), "f:2: apiVersion: is \"v2\"; needed is v1"),
        fault("no name", DEMO.replace("name: demo-pod", "labels: {}"), "metadata.name: is missing"),
        fault(
            "a bad name",
            DEMO.replace("demo-pod", "Demo"),
            "f:5: metadata.name: \"Demo\" is no DNS"),
        fault(
            "a bad namespace",
            DEMO.replace("  name: demo-pod", "  name: d\n  namespace: a.b"),
            "f:6: metadata.namespace: \"a.b\""),
        fault(
            "a bad uid",
            DEMO.replace("  name: demo-pod", "  name: d\n  uid: ../x"),
            "metadata.uid: \"../x\""),
        fault(
            "a bad container name",
            DEMO.replace("demo-container-1", "a.b"),
            "f:8: spec.containers[0].name"),
        fault(
            "a number as image",
            DEMO.replace("registry.k8s.io/pause:3.8", "[]"),
            "f:9: spec.containers[0].image"),
        fault(
            "a typing mistake",
            DEMO.replace("limits:", "limit:"),
            "spec.containers[0].resources.limit: is not a field"),
        fault(
            "a key twice",
            DEMO.replace("    image: registry.k8s.io/pause:3.8", "    name: b"),
            "f:9: spec.containers[0].name: is given twice"),
        fault(
            "a reserved resource",
            DEMO.replace("hardware-vendor.example", "kubernetes.io"),
            "reserved for Kubernetes"),
        fault(
            "a resource without domain",
            DEMO.replace("hardware-vendor.example/foo", "gpu"),
            "f:12: spec.containers[0].resources.limits.gpu: resource name \"gpu\" has no slash"),
        fault(
            "a request alone",
            DEMO.replace("limits:", "requests:"),
            "is requested without a limit"),
        fault(
            "a request that differs",
            DEMO + "        requests: {hardware-vendor.example/foo: 1}\n",
            "is 1, its limit is 2"),
        fault(
            "a variable from elsewhere",
            DEMO + "      env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]\n",
            "f:13: spec.containers[0].env[0].valueFrom: is not supported"),
        fault(
            "variables from elsewhere",
            DEMO + "      envFrom: [{configMapRef: {name: c}}]\n",
            "envFrom: is not supported"),
        fault(
            "an ephemeral container",
            DEMO + "  ephemeralContainers: [{name: e}]\n",
            "f:13: spec.ephemeralContainers"),
        fault(
            "no container",
            DEMO.replaceAll("(?s)containers:.*", "containers: []\n"),
            "spec.containers: is empty"),
        fault(
            "a restart policy",
            DEMO + "  restartPolicy: Sometimes\n",
            "f:13: spec.restartPolicy: is \"Sometimes\""),
        fault(
            "an app container that is a sidecar",
            DEMO + "      restartPolicy: Always\n",
            "is for init containers only"),
        fault(
            "resources of the pod",
            DEMO + "  resources: {limits: {a.b/c: 1}}\n",
            "asked for by a container"),
        fault("the same pod twice", DEMO + DEMO, "pod default/demo-pod occurs twice"),
        fault("an anchor in itself", "a: &a [*a]\n", "nested"));
  }

  @Test
  void aDocumentThatIsReadAlreadyIsTheSamePod() throws Exception {
    String json =
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "u"},
         "spec": {"containers": [{"name": "c", "image": "none",
           "resources": {"limits": {"hardware-vendor.example/foo": 2, "cpu": 0.5, "memory": "1Gi"}}}]}}
        """;

    PodManifest read = PodManifests.readTree("f", new ObjectMapper().readTree(json));

    assertThat(read).isEqualTo(PodManifests.read("f", json));
    assertThat(read.pods()).hasSize(1);
  }

  @Test
  void aDocumentThatIsReadAlreadyHasItsProblemsWithoutLines() throws Exception {
    var document = new ObjectMapper().readTree("{\"apiVersion\": \"v1\", \"kind\": \"Node\"}");

    assertThat(PodManifests.readTree("f", document).problems().getFirst())
        .hasToString("f: kind: is \"Node\"; needed is Pod");
  }

  @ParameterizedTest
  @MethodSource("faults")
  void saysWhatIsWrongWith(String text, String expected) {
    assertThat(problems(text)).isNotEmpty();
    assertThat(problems(text).getFirst()).asString().contains(expected);
  }

  private static Arguments fault(String name, String text, String expected) {
    return arguments(named(name, text), expected);
  }

  private static PodSpec only(String text) {
    PodManifest manifest = PodManifests.read("f", text);
    assertThat(manifest.problems()).isEmpty();
    assertThat(manifest.pods()).hasSize(1);
    return manifest.pods().getFirst();
  }

  private static List<PodManifest.Problem> problems(String text) {
    return PodManifests.read("f", text).problems();
  }
}
