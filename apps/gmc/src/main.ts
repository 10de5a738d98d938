import { certificateFiles, runControllers } from '@interlock/service';
import { addTenantAdmission } from './admission/serve.js';
import { addGmc } from './app.js';
import { gmcFlags, installationOf, policyOf, version } from './flags.js';
import { readGithubRanges } from './meta/read-ranges.js';

await runControllers({
  name: 'gmc',
  description:
    'Provisions the tenants of the Actions gateway: a controller of runners and an egress proxy for each.',
  version,
  flags: gmcFlags,
  /* The API server verifies the certificates of the webhooks by its own clock. */
  usesServerTime: true,
  setup({ flags, manager, metrics, log, random, addReadinessCheck }) {
    const policy = policyOf(flags, flags.namespace);
    addGmc({
      ...{ manager, log, random, policy, metrics },
      installation: installationOf(flags),
      readRanges: (signal) =>
        flags.githubMetaUrl === 'none'
          ? Promise.resolve([])
          : readGithubRanges({ url: flags.githubMetaUrl, signal }),
      extraRanges: flags.extraEgressCidrs,
    });
    if (flags.admissionBindAddress !== undefined) {
      const server = addTenantAdmission(manager, log, metrics, {
        address: flags.admissionBindAddress,
        namespace: flags.namespace,
        service: flags.admissionService,
        secret: flags.admissionSecret,
        configuration: flags.admissionConfiguration,
        policy,
        ...certificateFiles('admission', flags.admissionCertFile, flags.admissionKeyFile),
      });
      addReadinessCheck(server.name, () => server.isServing());
    }
    return Promise.resolve(undefined);
  },
});
