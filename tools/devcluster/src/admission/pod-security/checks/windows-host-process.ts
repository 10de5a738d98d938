import { securityOption, settersOf, type Check } from './check.js';

/** Baseline: containers must not run as host processes of a Windows node. */
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
