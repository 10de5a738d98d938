import { describe, expect, test } from '@jest/globals';
import { addressFlag } from '../http/address.js';
import {
  booleanFlag,
  durationFlag,
  enumFlag,
  integerFlag,
  listFlag,
  stringFlag,
  withVariable,
} from './define.js';
import { parseFlags } from './parse.js';

const definition = {
  name: 'promoter',
  description: 'Promotes changes.',
  version: '1.2.3',
  flags: {
    pollInterval: durationFlag({ description: 'Time between polls.', default: '60s' }),
    concurrency: integerFlag({ description: 'Reconciles at the same time.', default: '4', min: 1, max: 64 }),
    leaderElect: booleanFlag({ description: 'Elect a leader.', default: true }),
    verbose: booleanFlag({ description: 'Say more.' }),
    namespaces: listFlag({ description: 'Namespaces to watch.', default: '' }),
    mode: enumFlag({ description: 'How.', values: ['fast', 'safe'], default: 'safe' }),
    kubeconfig: stringFlag({ description: 'Path of a kubeconfig.' }),
    cluster: stringFlag({ description: 'Name of the cluster.', required: true }),
    listen: withVariable(
      addressFlag({ description: 'Where to listen.', default: ':9000' }),
      'LISTEN_PORT',
      (text) => addressFlag({ description: '', default: '' }).parse(`:${text}`),
    ),
  },
};

function values(argv: string[], env = {}) {
  const parsed = parseFlags(definition, ['--cluster=c', ...argv], env);
  if (!('values' in parsed)) throw new Error('no values');
  return parsed.values;
}

describe('the parser', () => {
  test('uses defaults', () => {
    expect(values([])).toEqual({
      pollInterval: 60_000,
      concurrency: 4,
      leaderElect: true,
      verbose: false,
      namespaces: [],
      mode: 'safe',
      kubeconfig: undefined,
      cluster: 'c',
      listen: { host: undefined, port: 9000 },
    });
  });

  test('parses values to the types of their flags', () => {
    const { pollInterval, mode, kubeconfig, namespaces } = values([]);
    const typed: [number, 'fast' | 'safe', string | undefined, readonly string[]] = [
      pollInterval,
      mode,
      kubeconfig,
      namespaces,
    ];
    expect(typed).toHaveLength(4);
  });

  test('prefers the command line to the environment', () => {
    const env = { INTERLOCK_POLL_INTERVAL: '5m', INTERLOCK_MODE: 'fast', INTERLOCK_KUBECONFIG: '' };
    expect(values(['--poll-interval', '90s'], env)).toMatchObject({
      pollInterval: 90_000,
      mode: 'fast',
      kubeconfig: undefined,
    });
  });

  test.each([
    [[], { LISTEN_PORT: '' }, 9000],
    [[], { LISTEN_PORT: '9001' }, 9001],
    [[], { LISTEN_PORT: '9001', INTERLOCK_LISTEN: ':9002' }, 9002],
    [['--listen=:9003'], { LISTEN_PORT: 'x', INTERLOCK_LISTEN: ':9002' }, 9003],
  ])(
    'reads a variable without the prefix last, for the arguments %j and the variables %j',
    (argv, env, port) => {
      expect(values(argv, env)).toMatchObject({ listen: { port } });
    },
  );

  test.each([
    [['--leader-elect=false'], { leaderElect: false }],
    [['--verbose'], { verbose: true }],
    [['--verbose', '--mode=fast'], { verbose: true, mode: 'fast' }],
    [['--namespaces', 'a, b,,c'], { namespaces: ['a', 'b', 'c'] }],
    [['--namespaces=a', '--namespaces', 'b,c'], { namespaces: ['a', 'b', 'c'] }],
    [['--listen', '0'], { listen: undefined }],
  ])('parses the arguments %j', (argv, expected) => {
    expect(values(argv)).toMatchObject(expected);
  });

  test('reads variables with another prefix', () => {
    const parsed = parseFlags({ ...definition, environmentPrefix: 'P_' }, [], {
      P_CLUSTER: 'x',
      INTERLOCK_MODE: 'fast',
    });
    expect(parsed).toMatchObject({ values: { cluster: 'x', mode: 'safe' } });
  });
});

describe('errors', () => {
  test.each([
    [
      ['--poll-interval=5'],
      {},
      'invalid value "5" for flag --poll-interval: "5" has no unit; write for example 90s, 1h30m or 500ms',
    ],
    [['--poll-interval=-5s'], {}, 'invalid value "-5s" for flag --poll-interval: it must be 0 or more'],
    [
      [],
      { INTERLOCK_POLL_INTERVAL: 'x' },
      'invalid value "x" for environment variable INTERLOCK_POLL_INTERVAL',
    ],
    [[], { LISTEN_PORT: 'x' }, 'invalid value "x" for environment variable LISTEN_PORT: write host:port'],
    [['--concurrency=0'], {}, 'invalid value "0" for flag --concurrency: it must be from 1 to 64'],
    [['--concurrency=1e1'], {}, 'it is not an integer'],
    [['--mode=slow'], {}, 'invalid value "slow" for flag --mode: write one of fast, safe'],
    [['--leader-elect=yes'], {}, 'invalid value "yes" for flag --leader-elect: write true or false'],
    [['--polinterval=5s'], {}, "unknown option '--polinterval'"],
    [['--poll-intervall=5s'], {}, 'Did you mean --poll-interval?'],
    [['--mode'], {}, "option '--mode <fast|safe>' argument missing"],
    [['stray'], {}, 'too many arguments'],
    [['--listen=localhost'], {}, 'invalid value "localhost" for flag --listen: write host:port'],
  ])(
    'name the flag, the value and the fix for the arguments %j and the variables %j',
    (argv, env, message) => {
      expect(() => values(argv, env)).toThrow(
        expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
      );
    },
  );

  test('name a missing flag that has no default', () => {
    expect(() => parseFlags(definition, [], {})).toThrow(
      'flag --cluster (or environment variable INTERLOCK_CLUSTER) is required',
    );
  });
});

describe('the parser, for a request of information', () => {
  test('returns every flag with its variable, default and description for --help', () => {
    const parsed = parseFlags(definition, ['--help'], {});
    const help = 'text' in parsed ? parsed.text.replace(/\s+/g, ' ') : '';
    expect(help).toContain('Promotes changes.');
    expect(help).toContain(
      '--poll-interval <duration> Time between polls. (default: 60s, env: INTERLOCK_POLL_INTERVAL)',
    );
    expect(help).toContain(
      '--leader-elect [boolean] Elect a leader. (default: true, env: INTERLOCK_LEADER_ELECT)',
    );
    expect(help).toContain('--mode <fast|safe> How. (default: safe, env: INTERLOCK_MODE)');
    expect(help).toContain('--cluster <string> Name of the cluster. (required, env: INTERLOCK_CLUSTER)');
    expect(help).toContain('--kubeconfig <string> Path of a kubeconfig. (env: INTERLOCK_KUBECONFIG)');
  });

  test('returns the version for --version', () => {
    expect(parseFlags(definition, ['--version'], {})).toEqual({ text: '1.2.3\n' });
  });
});
