{{- /*
The node groups as JSON, {"groups": [...]}, the default one last: each with name, fullname, config, and what else its DaemonSet needs.
Each group takes nodes by one label, `nodes`; `not` has the `nodes` of those before it, which it does not take. So no node has two agents.
*/}}
{{- define "patchbay.groups" -}}
{{- $full := include "patchbay.fullname" . -}}
{{- $groups := list -}}
{{- $before := list -}}
{{- range $given := .Values.nodeGroups -}}
  {{- $nodes := $given.nodes | default (dict "label" "patchbay.dev/node-group" "values" (list $given.name)) -}}
  {{- range $other := $groups -}}
    {{- if eq $other.name $given.name -}}{{- fail (printf "nodeGroups: two groups are called %s; each needs a name of its own" $given.name) -}}{{- end -}}
  {{- end -}}
  {{- $group := dict "name" $given.name "fullname" (printf "%s-%s" $full $given.name | trunc 63 | trimSuffix "-") "nodes" $nodes "not" $before "config" $given.config -}}
  {{- range $key := list "nodeSelector" "tolerations" "resources" "extraHostPaths" "podLabels" "podAnnotations" -}}
    {{- $_ := set $group $key (hasKey $given $key | ternary (get $given $key) (get $.Values $key)) -}}
  {{- end -}}
  {{- $groups = append $groups $group -}}
  {{- $before = append $before $nodes -}}
{{- end -}}
{{- if .Values.defaultGroup -}}
  {{- $group := dict "name" "default" "fullname" $full "not" $before "config" .Values.config -}}
  {{- range $key := list "nodeSelector" "tolerations" "resources" "extraHostPaths" "podLabels" "podAnnotations" -}}
    {{- $_ := set $group $key (get $.Values $key) -}}
  {{- end -}}
  {{- $groups = append $groups $group -}}
{{- end -}}
{{- if not $groups -}}{{- fail "there is no group: needed is defaultGroup: true or an entry of nodeGroups" -}}{{- end -}}
{{- dict "groups" $groups | toJson -}}
{{- end }}

{{- /* A group's configuration as the agent reads it, (dict "root" "group"): with `http`, which the probes need. */}}
{{- define "patchbay.config" -}}
{{- $config := .group.config -}}
{{- if not $config -}}
{{- .root.Files.Get "files/default.yaml" }}
{{- else -}}
{{- toYaml $config }}
{{ end -}}
{{- if not (hasKey $config "http") -}}
http: {listen: "0.0.0.0:10680"}
{{- end -}}
{{- end }}

{{- /* The port of a configuration's `http.listen`, (dict "root" "group"). */}}
{{- define "patchbay.port" -}}
{{- $listen := (include "patchbay.config" . | fromYaml).http.listen -}}
{{- if not (or (hasPrefix "0.0.0.0:" $listen) (hasPrefix "[::]:" $listen)) -}}
{{- fail (printf "group %s: http.listen is %s; the kubelet's probes come to the pod's address: needed is 0.0.0.0:PORT" .group.name $listen) -}}
{{- end -}}
{{- regexFind "[0-9]+$" $listen -}}
{{- end }}

{{- /* Which nodes a group runs on. */}}
{{- define "patchbay.nodeAffinity" -}}
{{- if or .nodes .not -}}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            {{- with .nodes }}
            - {key: {{ .label | quote }}, operator: In, values: {{ toJson .values }}}
            {{- end }}
            {{- range .not }}
            - {key: {{ .label | quote }}, operator: NotIn, values: {{ toJson .values }}}
            {{- end }}
{{- end -}}
{{- end }}
