import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const env = { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, ...options });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output }));
  });
}

/**
 * Makes the bundles of these projects when sources are newer, then runs that of the tool with the arguments of this
 * process, and ends as it does.
 */
export async function runTool(tool, projects) {
  /* Ctrl-C reaches the whole process group; the tool decides when it is over. */
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  const bundles = [...projects, tool].map((name) => `@interlock/${name}`).join(',');
  const built = await run('npx', ['nx', 'run-many', '-t', 'bundle', '-p', bundles, '--outputStyle=static'], {
    stdio: 'pipe',
  });
  if (built.code !== 0) {
    process.stderr.write(built.output);
    process.exit(built.code);
  }
  const ended = await run(process.execPath, [`tools/${tool}/dist/main.mjs`, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exit(ended.code);
}
