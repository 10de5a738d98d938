{{/*
Allows requests for metrics and probes, and connections to DNS, the Kubernetes API, and the SCM, a proxy or calendars. Takes a dict:
context  the context of the calling chart
ingress  further rules (YAML list as text)
An empty list of peers allows every peer, and an empty list of ports allows no connection.
*/}}
{{- define "interlock-lib.networkPolicy" -}}
{{- with .context -}}
{{- $policy := .Values.networkPolicy -}}
{{- if $policy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "interlock-lib.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    # The kubelet, which no selector can match, calls the probes.
    - ports:
        - port: probes
    {{- include "interlock-lib.networkPolicyRule" (list "from" $policy.metrics.from (list "metrics")) | nindent 4 }}
    {{- with $.ingress }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with $policy.extraIngress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  egress:
    - ports:
        {{- include "interlock-lib.dnsPorts" . | nindent 8 }}
      {{- with $policy.dns.to }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- range compact (list $policy.apiServer $policy.scm $policy.github $policy.calendars) }}
    {{- include "interlock-lib.networkPolicyRule" (list "to" .to .ports) | nindent 4 }}
    {{- end }}
    {{- with $policy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* One rule for TCP, or none without ports; takes (list "from"|"to" <peers> <ports>). A rule with an empty list would allow every port. */}}
{{- define "interlock-lib.networkPolicyRule" -}}
{{- if index . 2 -}}
- ports:
    {{- range index . 2 }}
    - port: {{ . }}
    {{- end }}
  {{- with index . 1 }}
  {{ index $ 0 }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/*
The ports of the pods that serve the DNS: the usual port, that of OpenShift, and that of Gardener. Policies apply to them, not to the
port of the Service.
*/}}
{{- define "interlock-lib.dnsPorts" -}}
{{- range list 53 5353 8053 }}
- port: {{ . }}
  protocol: UDP
- port: {{ . }}
  protocol: TCP
{{- end }}
{{- end -}}
