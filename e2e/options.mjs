import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const usage = `Usage: npm run e2e -- [options] [names of test files]

Runs the black-box tests of the built apps, by default on an embedded cluster.

  --kubeconfig <file>        run on the cluster of this kubeconfig, with the permissions of its user
  --context <name>           the context of the kubeconfig; default: its current context
  --webhook-host <name>      this machine, as that cluster's API server reaches it; default: localhost
  --envtest                  run on a control plane of the binaries in the folder KUBEBUILDER_ASSETS
  -t, --title <pattern>      run only tests whose title matches the regular expression
  -h, --help                 print this text

Examples:
  npm run e2e -- crash-promoter freeze
  npm run e2e -- --kubeconfig ~/.kube/config --context kind-test
  KUBEBUILDER_ASSETS=$(setup-envtest use 1.33 --print path) npm run e2e -- --envtest
`;

/** Reads the arguments of `npm run e2e`. @throws Error with the invalid argument and what to do */
export function parseOptions(args, env) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      'webhook-host': { type: 'string' },
      envtest: { type: 'boolean' },
      title: { type: 'string', short: 't' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { kubeconfig, envtest = false } = values;
  if (kubeconfig !== undefined && envtest) {
    throw new Error('--kubeconfig and --envtest cannot be combined: leave out one of them');
  }
  for (const name of ['context', 'webhook-host']) {
    if (values[name] !== undefined && kubeconfig === undefined) {
      throw new Error(`--${name} requires a kubeconfig: specify it with --kubeconfig`);
    }
  }
  if (kubeconfig !== undefined && !existsSync(kubeconfig)) {
    throw new Error(`--kubeconfig: the file ${resolve(kubeconfig)} does not exist`);
  }
  if (envtest && !env['KUBEBUILDER_ASSETS']) {
    throw new Error(
      '--envtest: the variable KUBEBUILDER_ASSETS is not set; it names the folder of etcd and kube-apiserver',
    );
  }
  return {
    help: values.help ?? false,
    envtest,
    kubeconfig: kubeconfig === undefined ? undefined : resolve(kubeconfig),
    context: values.context,
    webhookHost: values['webhook-host'],
    title: values.title,
    files: positionals,
  };
}
