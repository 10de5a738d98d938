import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { apps, makeBundles } from '../tools/bundle/run.mjs';
import { parseOptions, usage } from './options.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const jest = join(root, 'node_modules/jest/bin/jest.js');
/** Hooks open and clear the cluster, which takes some time. */
const hookTimeoutMs = 400_000;

/** Starts the control plane. @returns its cluster, and a function that stops it */
async function startEnvtest() {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-envtest-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const command = ['tools/envtest/dist/main.mjs', '--until-stdin-ends', '--kubeconfig', kubeconfig];
  /* Detached, so that a Ctrl-C of the terminal does not end it before the tests. */
  const plane = spawn(process.execPath, command, {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(plane, 'exit');
  const stop = async () => {
    plane.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const lines = createInterface({ input: plane.stdout });
  const started = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (started === undefined) {
    await stop();
    process.exit(1);
  }
  const [line] = started;
  console.log(line);
  return { cluster: { kubeconfig, hasControllers: line.includes('with controllers') }, stop };
}

/** Opens the cluster of the options. @returns undefined for an embedded cluster */
async function openCluster({ envtest, kubeconfig, context, webhookHost }) {
  if (envtest) return startEnvtest();
  if (kubeconfig === undefined) return undefined;
  return { cluster: { kubeconfig, context, webhookHost, hasControllers: true }, stop: async () => undefined };
}

function jestArguments({ files, title }, isShared) {
  return [
    jest,
    /* These arguments come first, because after the list of reporters they would be part of it. */
    ...files,
    '--config=e2e/jest.config.mjs',
    '--reporters=default',
    `--reporters=${join(root, 'e2e/reporter.mjs')}`,
    ...(title === undefined ? [] : [`--testNamePattern=${title}`]),
    /* All files share one cluster, and each file begins with an empty one. */
    ...(isShared ? ['--maxWorkers=1', `--testTimeout=${hookTimeoutMs}`] : []),
  ];
}

async function main(options) {
  /* Ctrl-C also signals jest, which ends the tests. */
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (interrupted = true));
  await makeBundles([...apps, 'stack', 'devcluster', ...(options.envtest ? ['envtest'] : [])]);
  const opened = await openCluster(options);
  try {
    const child = spawn(process.execPath, jestArguments(options, opened !== undefined), {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(opened && { INTERLOCK_E2E_CLUSTER: JSON.stringify(opened.cluster) }),
      },
    });
    const [code, signal] = await once(child, 'exit');
    if ((interrupted || signal !== null) && options.kubeconfig !== undefined) {
      console.log(
        'Interrupted. The next run deletes the remaining objects of this run in the cluster. To delete them now, run\n' +
          `  npm start -- --kubeconfig ${options.kubeconfig} --clean`,
      );
    }
    return code ?? 1;
  } finally {
    await opened?.stop();
  }
}

let options;
try {
  options = parseOptions(process.argv.slice(2), process.env);
} catch (error) {
  console.error(`error: ${error.message}\n\n${usage}`);
  process.exit(1);
}
if (options.help) console.log(usage);
else process.exitCode = await main(options);
