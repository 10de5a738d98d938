import { argoKinds, type ForeignKind } from './kinds.js';

/* The fields that the apps read or write, with the names of the Flux API reference. Other fields are allowed. */
const text = { type: 'string' };
const flag = { type: 'boolean' };
const integer = { type: 'integer', format: 'int64' };
const open = { 'x-kubernetes-preserve-unknown-fields': true };
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...open,
});

const reference = object({ kind: text, name: text, namespace: text });
const dependsOn = list(object({ name: text, namespace: text }, ['name']));
const condition = object({ type: text, status: text, reason: text, message: text, lastTransitionTime: text });
const observed = {
  observedGeneration: integer,
  lastHandledReconcileAt: text,
  conditions: list(condition),
};
const artifact = object({ revision: text, digest: text, url: text, lastUpdateTime: text });
const suspend = flag;

const specs: Readonly<Record<string, object>> = {
  GitRepository: object({
    suspend,
    url: text,
    ref: object({ branch: text, tag: text, semver: text, name: text, commit: text }),
    include: list(object({ repository: object({ name: text }, ['name']) }, ['repository'])),
  }),
  OCIRepository: object({ suspend, url: text, ref: object({ tag: text, semver: text, digest: text }) }),
  Bucket: object({ suspend, bucketName: text, endpoint: text }),
  HelmRepository: object({ suspend, url: text, type: text }),
  HelmChart: object({ suspend, chart: text, version: text, sourceRef: reference }),
  Kustomization: object({ suspend, path: text, prune: flag, sourceRef: reference, dependsOn }),
  HelmRelease: object({
    suspend,
    chart: object({ spec: object({ chart: text, version: text, sourceRef: reference }) }),
    chartRef: reference,
    dependsOn,
  }),
  Application: object({}),
};

/* What an applier reports instead of an artifact. */
const statuses: Readonly<Record<string, object>> = {
  Kustomization: { lastAppliedRevision: text, lastAttemptedRevision: text },
  HelmRelease: {
    lastAttemptedRevision: text,
    history: list(object({ status: text, chartVersion: text })),
  },
};

/** Returns a CustomResourceDefinition for a kind of another project, with the fields that are used here. */
export function definitionOf({ group, version, kind, plural }: ForeignKind) {
  const status = object({ ...observed, ...(statuses[kind] ?? { artifact }) });
  /* Argo CD has no status subresource. */
  const isArgo = group === argoKinds.Application.group;
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(!isArgo && { subresources: { status: {} } }),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: specs[kind], status: isArgo ? object({}) : status },
            },
          },
        },
      ],
    },
  };
}
