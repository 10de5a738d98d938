{{/*
The Deployment of a controller and, with more than one replica, its PodDisruptionBudget. Takes a dict:
context       the context of the calling chart
args          flags in addition to those that every controller has (YAML list as text, like all of the following)
ports         container ports in addition to metrics and probes
volumes       volumes in addition to /tmp
volumeMounts  mounts of these volumes
env           variables in addition to INTERLOCK_NAMESPACE
podLabels     labels of the pods in addition to those of the chart
A chart whose values have no leaderElect distributes the work among its replicas by other means.
*/}}
{{- define "interlock-lib.deployment" -}}
{{- with .context -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
spec:
  replicas: {{ .Values.replicas }}
  revisionHistoryLimit: 3
  strategy:
    {{- if eq (toString .Values.leaderElect) "false" }}
    # Without leader election, the old pod must be gone before the new one works.
    type: Recreate
    {{- else }}
    type: RollingUpdate
    # The defaults. Server-side apply removes them for Recreate, which does not allow them, only if they are stated here.
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
    {{- end }}
  selector:
    matchLabels:
      {{- include "interlock-lib.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "interlock-lib.labels" . | nindent 8 }}
        {{- with $.podLabels }}
        {{- . | nindent 8 }}
        {{- end }}
      {{- with .Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "interlock-lib.podSpec" $ | nindent 6 }}
{{- if gt (int .Values.replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "interlock-lib.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "interlock-lib.podSpec" -}}
{{- with .context -}}
serviceAccountName: {{ include "interlock-lib.fullname" . }}
automountServiceAccountToken: true
# Variables that are derived from Services named interlock-… would be read as flags.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add .Values.gracePeriodSeconds 5 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "interlock-lib.selectorLabels" $.context | nindent 8 }}
  {{- end }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" }}
{{- with index $.context.Values $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
containers:
  - name: {{ .Chart.Name }}
    {{- include "interlock-lib.container" $ | nindent 4 }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 256Mi
  {{- with $.volumes }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "interlock-lib.container" -}}
{{- with .context -}}
image: {{ include "interlock-lib.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args:
  - --leader-elect={{ .Values.leaderElect | default false }}
  - --grace-period={{ int64 .Values.gracePeriodSeconds }}s
  - --log-level={{ .Values.logLevel }}
  {{- with $.args }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.extraArgs }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  # The environment variable of --namespace.
  - name: INTERLOCK_NAMESPACE
    valueFrom:
      fieldRef:
        fieldPath: metadata.namespace
  {{- with $.env }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
ports:
  - name: metrics
    containerPort: 8080
  - name: probes
    containerPort: 8081
  {{- with $.ports }}
  {{- . | nindent 2 }}
  {{- end }}
{{- if $.ports }}
# Clients connect to a pod until they know that it ends. The time is part of the grace period of the pod.
lifecycle:
  preStop:
    sleep:
      seconds: 3
{{- end }}
livenessProbe:
  httpGet:
    path: /healthz
    port: probes
  initialDelaySeconds: 15
  periodSeconds: 20
  timeoutSeconds: 5
readinessProbe:
  httpGet:
    path: /readyz
    port: probes
  periodSeconds: 10
  timeoutSeconds: 5
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- with $.volumeMounts }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}
