import type { Check } from './check.js';

/** Baseline: the pod must not use the network, process and IPC namespaces of the node. */
export const hostNamespaces: Check = {
  id: 'hostNamespaces',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
        if (shared.length === 0) return undefined;
        return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
      },
    },
  ],
};
