import { expect, test } from '@jest/globals';
import { parseFlags } from './flags.js';

test('runs the promotions in Deployments without flags', () => {
  expect(parseFlags(['node', 'main.mjs'])).toMatchObject({ scenario: 'promote', fleet: 'deployments' });
});

test('runs the apps as processes in an existing cluster', () => {
  expect(parseFlags(['node', 'main.mjs', '--kubeconfig', 'x'])).toMatchObject({ fleet: 'processes' });
});

test.each([
  ['an unknown flag', ['--often'], "unknown option '--often'"],
  ['an invalid number of promotions', ['--repo', 'x', '--replay', 'some'], 'specify a positive integer'],
  ['no promotions', ['--repo', 'x', '--replay', '0'], 'specify a positive integer'],
  ['a replay of zero promotions', ['--replay', '2'], '--repo'],
  ['an unknown scenario', ['--scenario', 'undo'], 'Allowed choices are promote, revert'],
  ['jobs in an existing cluster', ['--scenario', 'jobs', '--kubeconfig', 'x'], "leave out '--kubeconfig'"],
  [
    'tenants in an existing cluster',
    ['--scenario', 'tenants', '--kubeconfig', 'x'],
    "leave out '--kubeconfig'",
  ],
  ['jobs in a repository', ['--scenario', 'jobs', '--repo', 'x'], "leave out '--repo'"],
  ['jobs outside of the cluster', ['--scenario=jobs', '--fleet=processes'], "leave out '--fleet processes'"],
  ['responses in a repository', ['--scenario', 'respond', '--repo', 'x'], "leave out '--repo'"],
  ['a context without a kubeconfig', ['--context', 'kind-kind'], 'specify it with --kubeconfig'],
  ['--clean without a kubeconfig', ['--clean'], 'specify it with --kubeconfig'],
  ['a host with a port', ['--kubeconfig', 'x', '--webhook-host', 'a.example:8443'], 'without a port'],
  ['an unknown way to run the apps', ['--fleet', 'pods'], 'Allowed choices are deployments, processes'],
  [
    'Deployments in an existing cluster',
    ['--kubeconfig', 'x', '--fleet', 'deployments'],
    "use '--fleet processes'",
  ],
  ['an argument', ['now'], 'too many arguments'],
])('refuses %s with the help', (_, args, message) => {
  let printed = '';
  const parse = () =>
    parseFlags(['node', 'main.mjs', ...args], (program) =>
      program.exitOverride().configureOutput({ writeErr: (text) => (printed += text) }),
    );
  expect(parse).toThrow(expect.objectContaining({ exitCode: 1 }));
  expect(printed).toContain(message);
  expect(printed).toContain('Usage: npm start --');
});
