{{- /*
What of the host a group's agent sees, as JSON, {"paths": [{"name", "path", "at", "readOnly", "type", "why"}]}: only what its configuration needs.
To teach it another driver: add a case that says what the driver reads and why.
*/}}
{{- define "patchbay.hostPaths" -}}
{{- $group := .group -}}
{{- $kubelet := .root.Values.kubeletDir -}}
{{- $config := include "patchbay.config" (dict "root" .root "group" $group) | fromYaml -}}
{{- $paths := list -}}
{{- $ways := list "kubelet-socket" -}}
{{- with $config.registration -}}{{- with .ways -}}{{- $ways = . -}}{{- end -}}{{- end -}}
{{- if has "kubelet-socket" $ways -}}
  {{- $path := printf "%s/device-plugins" $kubelet -}}
  {{- $paths = append $paths (dict "name" "device-plugins" "path" $path "at" $path "readOnly" false "type" "Directory" "why" "registration by kubelet-socket: kubelet.sock is there, and the agent's own sockets have to be") -}}
{{- end -}}
{{- if has "plugins-registry" $ways -}}
  {{- $path := printf "%s/plugins_registry" $kubelet -}}
  {{- $paths = append $paths (dict "name" "plugins-registry" "path" $path "at" $path "readOnly" false "type" "Directory" "why" "registration by plugins-registry: the kubelet looks for the agent's sockets there") -}}
{{- end -}}

{{- /* Directories that drivers look into: {directory: {driver: [what for]}}. */ -}}
{{- $looks := dict -}}
{{- $default := .root.Files.Get "files/default.yaml" | fromYaml -}}
{{- range $name, $section := hasKey $config "drivers" | ternary $config.drivers $default.drivers -}}
  {{- if eq $name "kubevirt" -}}
    {{- include "patchbay.look" (list $looks "/dev" $name (list "/dev/kvm, /dev/net/tun, /dev/vhost-net, /dev/vhost-vsock, /dev/fuse")) -}}
  {{- else if eq $name "device-node" -}}
    {{- include "patchbay.look" (list $looks "/sys" $name (list "the NUMA nodes of devices")) -}}
    {{- range $section.devices -}}{{- range .groups -}}
      {{- range .paths -}}
        {{- include "patchbay.look" (list $looks (include "patchbay.directoryOf" (list $group.name .path)) $name (list .path)) -}}
      {{- end -}}
      {{- if .usb -}}
        {{- include "patchbay.look" (list $looks "/dev" $name (list "/dev/bus/usb")) -}}
        {{- include "patchbay.look" (list $looks "/sys" $name (list "/sys/bus/usb/devices")) -}}
      {{- end -}}
    {{- end -}}{{- end -}}
  {{- else -}}
    {{- fail (printf "group %s: this chart does not know the driver %s, and so not which host paths it needs" $group.name $name) -}}
  {{- end -}}
{{- end -}}
{{- range $directory, $reasons := $looks -}}
  {{- $why := list -}}
  {{- range $driver, $what := $reasons -}}{{- $why = append $why (printf "%s looks for %s" $driver ($what | uniq | join ", ")) -}}{{- end -}}
  {{- $type := has $directory (list "/dev" "/sys") | ternary "Directory" "DirectoryOrCreate" -}}
  {{- $paths = append $paths (dict "name" (include "patchbay.volumeName" $directory) "path" $directory "at" (printf "/host%s" $directory) "readOnly" true "type" $type "why" (join "; " $why)) -}}
{{- end -}}
{{- range $group.extraHostPaths -}}
  {{- $paths = append $paths (dict "name" (include "patchbay.volumeName" .path) "path" .path "at" (printf "/host%s" .path) "readOnly" true "type" "Directory" "why" (printf "extraHostPaths: %s" .why)) -}}
{{- end -}}
{{- dict "paths" $paths | toJson -}}
{{- end }}

{{- /* Adds to the directories that drivers look into: (list looks directory driver what). */}}
{{- define "patchbay.look" -}}
{{- $looks := index . 0 -}}{{- $directory := index . 1 -}}{{- $driver := index . 2 -}}
{{- $reasons := get $looks $directory | default dict -}}
{{- $_ := set $reasons $driver (concat (get $reasons $driver | default list) (index . 3)) -}}
{{- $_ := set $looks $directory $reasons -}}
{{- end }}

{{- /*
The directory to mount for a path or pattern, (list group path): all of /dev for one in it, since what is plugged in later may come with a
directory of its own; else the one above the first wildcard, or above the file itself, which may not be there yet, or may be replaced.
*/}}
{{- define "patchbay.directoryOf" -}}
{{- $path := index . 1 -}}
{{- $directory := dir (regexReplaceAll "/?[^/]*[*?\\[].*$" $path "/x") -}}
{{- if hasPrefix "/dev/" $path -}}{{- $directory = "/dev" -}}{{- end -}}
{{- if hasPrefix "/sys/" $path -}}{{- $directory = "/sys" -}}{{- end -}}
{{- if eq $directory "/" -}}
{{- fail (printf "group %s: the agent would have to see the whole host to look for %s; needed is a path in a directory of its own" (index . 0) $path) -}}
{{- end -}}
{{- $directory -}}
{{- end }}

{{- define "patchbay.volumeName" -}}
{{- printf "host%s" (regexReplaceAll "[^a-z0-9]+" (lower .) "-") | trunc 63 | trimSuffix "-" -}}
{{- end }}
