{{/* The Service of /metrics and, if it is enabled, its ServiceMonitor. */}}
{{- define "interlock-lib.metrics" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "interlock-lib.metadata" (list . "-metrics") | nindent 2 }}
    app.kubernetes.io/component: metrics
spec:
  selector:
    {{- include "interlock-lib.selectorLabels" . | nindent 4 }}
  ports:
    - name: metrics
      port: 8080
      targetPort: metrics
{{- with .Values.serviceMonitor }}
{{- if .enabled }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "interlock-lib.metadata" (list $ "") | nindent 2 }}
    {{- with .labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "interlock-lib.selectorLabels" $ | nindent 6 }}
      app.kubernetes.io/component: metrics
  endpoints:
    - port: metrics
      interval: {{ .interval }}
      # Metrics about objects have a label `namespace` with the namespace of the object, not that of the pod.
      honorLabels: true
{{- end }}
{{- end }}
{{- end -}}
