import { workerDefaults, workerPodGraceSeconds } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import type { FlagValues } from '@interlock/service/flags';
import type { agcFlags } from '../flags.js';
import type { WorkerSettings } from './build.js';
import { parseAuthoritiesRef } from './github-authorities.js';

/**
 * Returns the settings of every worker pod: from the flags, and the proxy from the environment of this process, which workers also use.
 *
 * @param programConfigMap name of the ConfigMap with the worker program
 * @throws UsageError when --github-ca-ref is not a reference
 */
export function workerSettings(
  { githubUrl, workerImage, securityProfile, proxyCaSecret, githubCaRef }: FlagValues<typeof agcFlags>,
  programConfigMap: string,
  environment: NodeJS.ProcessEnv = process.env,
): WorkerSettings {
  return {
    gitHubUrl: githubUrl,
    defaultImage: workerImage,
    securityProfile,
    programConfigMap,
    proxyUrl: environment['HTTPS_PROXY'],
    noProxy: environment['NO_PROXY'],
    proxyCaSecret: proxyCaSecret === '' ? undefined : proxyCaSecret,
    gitHubCa: parseAuthoritiesRef(githubCaRef),
    podGraceSeconds: workerPodGraceSeconds(parseDuration(workerDefaults.shutdownGrace) / 1000),
  };
}
