import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isCurrent } from './current.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const env = {
  ...process.env,
  NX_TUI: 'false',
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
  NX_ISOLATE_PLUGINS: 'false',
};
const nx = fileURLToPath(new URL('../../node_modules/nx/dist/bin/nx.js', import.meta.url));

/** The running process. */
let current;

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, ...options });
    current = child;
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output }));
  });
}

/** The apps that promote changes, and the command line. */
const promotion = ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder', 'cli'];

/** The controller of runners; the program in its worker pods is part of its bundle. */
const runners = ['agc'];

/** The controller of tenants, and the programs that it deploys for each tenant. */
const tenants = ['gmc', ...runners, 'egress-proxy'];

/** The apps, and the command line. */
export const apps = [...promotion, ...tenants];

/**
 * Returns the programs that `npm start` runs with these arguments.
 *
 * @param args the arguments of the command line; the program refuses invalid arguments
 */
export function appsOfScenario(args) {
  const separate = args.lastIndexOf('--scenario');
  const joined = args.findLast((arg) => arg.startsWith('--scenario='));
  const scenario = joined?.slice('--scenario='.length) ?? (separate < 0 ? undefined : args[separate + 1]);
  if (scenario === 'tenants') return tenants;
  return scenario === 'jobs' ? runners : promotion;
}

const folderOf = (project) => (existsSync(`${root}apps/${project}`) ? `apps/${project}` : `tools/${project}`);

/**
 * Builds the bundles of these projects that are older than their sources. If that fails, prints the reason and ends
 * this process. A current bundle is not built, because Nx overwrites its files even then, and a starting program could
 * read an incomplete file.
 */
export async function makeBundles(projects) {
  const old = projects.filter((project) => !isCurrent(root, folderOf(project)));
  if (old.length === 0) return;
  const names = old.map((name) => `@interlock/${name}`).join(',');
  const args = [nx, 'run-many', '-t', 'bundle', '-p', names, '--outputStyle=static'];
  const built = await run(process.execPath, args, { stdio: 'pipe' });
  if (built.code === 0) return;
  process.stderr.write(built.output);
  process.exit(built.code);
}

/**
 * Builds the bundles of these projects that are older than their sources. Then runs the bundle of the tool with the
 * arguments of this process, and exits with its code.
 */
export async function runTool(tool, projects) {
  /* Ctrl-C signals the whole process group, but `kill` signals only this process. The tool decides when to exit. */
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => current.kill('SIGTERM'));
  await makeBundles([...projects, tool]);
  const ended = await run(process.execPath, [`tools/${tool}/dist/main.mjs`, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exit(ended.code);
}
