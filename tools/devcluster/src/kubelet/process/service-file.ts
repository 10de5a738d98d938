import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Cluster } from '../../api/cluster.js';
import { serviceTable } from './service-table.js';

/**
 * Updates a file with the endpoints of the Services of the cluster, for the processes of pods. Returns a function that
 * stops the updates.
 */
export function keepServiceFile(
  { store }: Cluster,
  path: string,
  apiServer: { host: string; port: number },
): () => void {
  let isPlanned = false;
  let isEnded = false;
  let written = '';
  const write = (): void => {
    isPlanned = false;
    if (isEnded) return;
    const [services, pods] = ['services', 'pods'].map((name) =>
      store.entries(name).map(({ object }) => object),
    );
    const table = {
      'kubernetes.default': { '443': [`${apiServer.host}:${apiServer.port}`] },
      ...serviceTable(services ?? [], pods ?? []),
    };
    const text = JSON.stringify(table);
    if (text === written) return;
    written = text;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  write();
  const unsubscribe = store.subscribe(({ entry }) => {
    if (isPlanned || (entry.collection !== 'services' && entry.collection !== 'pods')) return;
    isPlanned = true;
    setImmediate(write);
  });
  return () => {
    isEnded = true;
    unsubscribe();
  };
}
