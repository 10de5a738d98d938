import { securityOption, settersOf, type Check } from './check.js';

/** Baseline: no processes of the node on Windows. */
export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const isHost = ['windowsOptions', 'hostProcess'] as const;
        const setters = settersOf(pod, (owner) => securityOption(owner, ...isHost) === true);
        if (setters.length === 0) return undefined;
        const what = 'securityContext.windowsOptions.hostProcess=true';
        return { reason: 'hostProcess', detail: `${setters.join(' and ')} must not set ${what}` };
      },
    },
  ],
};
