import {
  boolean,
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  quantity,
  string,
  anyObject,
} from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';
import { fieldRef, resourceFieldRef } from './container-schema.js';
import { localReference } from '../meta/references.js';
import { labelSelector } from '../meta/label-selector.js';

const keyToPath = object(
  {
    key: string('Key to take.'),
    path: string('File name in the volume.'),
    mode: int32('Permissions of the file.'),
  },
  { required: ['key', 'path'] },
);
const items = list(keyToPath, 'Keys to take; default: all.');
const optional = boolean('Whether it may be missing.');
const defaultMode = int32({ description: 'Permissions of the files.', default: 0o644 });
const name = string({ description: 'Name of the object.', default: '' });

const downwardFile = object(
  {
    path: string('File name in the volume.'),
    fieldRef: fieldRef,
    resourceFieldRef: resourceFieldRef,
    mode: int32('Permissions of the file.'),
  },
  { required: ['path'] },
);
const downwardItems = list(downwardFile, 'Files.');

const projection = object({
  secret: object({ name, items, optional }),
  configMap: object({ name, items, optional }),
  downwardAPI: object({ items: downwardItems }),
  serviceAccountToken: object(
    {
      audience: string('For whom the token is.'),
      expirationSeconds: int64({ description: 'Lifetime of a token.', default: 3600 }),
      path: string('File name in the volume.'),
    },
    { required: ['path'] },
  ),
  clusterTrustBundle: object(
    { name: string(), signerName: string(), labelSelector: labelSelector, optional, path: string() },
    { required: ['path'] },
  ),
});

/** v1 PersistentVolumeClaimSpec. */
const claimSpec = object({
  accessModes: list(string(), 'ReadWriteOnce, ReadOnlyMany, …'),
  selector: labelSelector,
  resources: object({ limits: map(quantity()), requests: map(quantity()) }),
  volumeName: string(),
  storageClassName: string(),
  volumeMode: string(),
  dataSource: anyObject(),
  dataSourceRef: anyObject(),
  volumeAttributesClassName: string(),
});

const volume = object(
  {
    name: string('Name, unique in the pod.'),
    emptyDir: object({
      medium: string('Memory for a RAM disk.'),
      sizeLimit: quantity('The most it may hold.'),
    }),
    hostPath: object(
      { path: string('Path on the node.'), type: string({ default: '' }) },
      { required: ['path'] },
    ),
    secret: object({ secretName: string('Name of the Secret.'), items, defaultMode, optional }),
    configMap: object({ name, items, defaultMode, optional }),
    downwardAPI: object({ items: downwardItems, defaultMode }),
    projected: object({ sources: list(projection, 'What is put together.'), defaultMode }),
    persistentVolumeClaim: object({ claimName: string(), readOnly: boolean() }, { required: ['claimName'] }),
    ephemeral: object({
      volumeClaimTemplate: object({ metadata: anyObject(), spec: claimSpec }, { required: ['spec'] }),
    }),
    csi: object(
      {
        driver: string(),
        fsType: string(),
        readOnly: boolean(),
        volumeAttributes: map(string()),
        nodePublishSecretRef: localReference,
      },
      { required: ['driver'] },
    ),
    nfs: object({ server: string(), path: string(), readOnly: boolean() }, { required: ['server', 'path'] }),
    image: object({ reference: string(), pullPolicy: string() }),
  },
  { required: ['name'] },
);

/** Volumes of a pod by name. */
export const volumes: Schema = {
  ...listMap(volume, ['name'], 'What containers can mount.'),
  'x-kubernetes-patch-strategy': 'merge,retainKeys',
};
