import { containerList, namesOf, securityOption, type Check } from './check.js';

/** Baseline: no container is privileged. */
export const privileged: Check = {
  id: 'privileged',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: (pod) => {
        const bad = namesOf(pod, (container) => securityOption(container, 'privileged') === true);
        if (bad.length === 0) return undefined;
        return {
          reason: 'privileged',
          detail: `${containerList(bad)} must not set securityContext.privileged=true`,
        };
      },
    },
  ],
};
