import type { JobVariables } from '@interlock/runner-image';

/** A credential that may appear only in the payload and in calls. */
export const canary = 'ghs_canary7d1f3a';

/** Returns the message of a job, as far as a worker reads it. */
export function jobMessage(
  jobId: string,
  url: string,
  variables: JobVariables = {},
  text = '🚄 naïve',
): string {
  const given = Object.entries(variables).map(([name, value]) => [name, { value }]);
  return JSON.stringify({
    messageType: 'RunnerJobRequest',
    plan: { planId: `plan-${jobId}` },
    jobId,
    variables: {
      'system.github.token': { value: canary, isSecret: true },
      ...Object.fromEntries(given),
    },
    resources: {
      endpoints: [
        {
          name: 'SystemVssConnection',
          url: `${url}/run/`,
          authorization: { scheme: 'OAuth', parameters: { AccessToken: canary } },
          data: { ResultsServiceUrl: `${url}/results/` },
        },
      ],
    },
    contextData: { github: { t: 2, d: [{ k: 'event', v: text }] } },
  });
}
