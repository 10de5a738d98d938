import { workerDefaults, workerPodGraceSeconds } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import type { FlagValues } from '@interlock/service/flags';
import type { agcFlags } from '../flags.js';
import { proxyVariables } from '../github/proxy-variables.js';
import type { WorkerSettings } from './build.js';
import { parseAuthoritiesRef } from './github-authorities.js';

/**
 * Returns the settings of every worker pod: from the flags, and the proxy, unless a flag names one, from the environment of this process.
 *
 * @param programConfigMap name of the ConfigMap with the worker program
 * @throws UsageError when --github-ca-ref is not a reference
 */
export function workerSettings(
  flags: FlagValues<typeof agcFlags>,
  programConfigMap: string,
  environment: NodeJS.ProcessEnv = process.env,
): WorkerSettings {
  const proxy = proxyVariables(environment);
  const { githubUrl, workerImage, securityProfile, proxyCaSecret, githubCaRef, workerProxyUrl } = flags;
  return {
    gitHubUrl: githubUrl,
    defaultImage: workerImage,
    securityProfile,
    programConfigMap,
    proxyUrl: workerProxyUrl === '' ? proxy.url : workerProxyUrl,
    noProxy: proxy.noProxy,
    proxyCaSecret: proxyCaSecret === '' ? undefined : proxyCaSecret,
    gitHubCa: parseAuthoritiesRef(githubCaRef),
    podGraceSeconds: workerPodGraceSeconds(parseDuration(workerDefaults.shutdownGrace) / 1000),
  };
}
