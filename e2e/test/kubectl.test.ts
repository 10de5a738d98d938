import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { kubeconfigFlags, type AppName, type KubeconfigFile } from '@interlock/stack';
import { Kubectl, whyNoKubectl } from './support/kubectl.js';
import { Program } from './support/program.js';
import { environments, pendingPromotion, type Template } from './support/promotion-scenario.js';
import { Team } from './support/team.js';
import { namespaces, needsControllers, skipFor, tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

/* The garbage collector of a cluster discovers new kinds twice a minute. */
const timeoutMs = 120_000;
const [dev, prod] = environments;
const namespace = tenantName('shop');
let fixture: Fixture;
let template: Template;
let team: Team;
let kubectl: Kubectl;
let kubeconfig: KubeconfigFile;

const strategy = (name: string, spec: string): string => `apiVersion: promoter.argoproj.io/v1alpha1
kind: PromotionStrategy
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    team: tea
spec:
${spec.trimEnd().replace(/^/gm, '  ')}
`;

const valid = `repoRef:
  name: demo
dryBranch: main
environments:
  - branch: ${dev}
  - branch: ${prod}
    autoMerge: false
`;

skipFor(whyNoKubectl, () => {
  beforeAll(async () => {
    fixture = await startFixture({ fleet: alone });
    kubeconfig = fixture.platform.cluster.kubeconfigFile(fixture.folder);
    kubectl = new Kubectl(fixture.folder, kubeconfig);
    template = await pendingPromotion(join(fixture.folder, 'template.git'));
    team = await Team.create(fixture, { name: namespace, template: template.path, environments });
    await team.connect();
    await fixture.fleet.start();
  }, timeoutMs);

  afterAll(() => fixture.close());

  it(
    'kubectl applies a strategy, waits for it and shows its state',
    async () => {
      expect(await kubectl.apply(strategy('shop', valid))).toMatchObject({
        code: 0,
        stdout: 'promotionstrategy.promoter.argoproj.io/shop created\n',
      });
      const wait = [
        'wait',
        '--for=condition=Ready',
        '--timeout=60s',
        '-n',
        namespace,
        'promotionstrategy/shop',
      ];
      expect(await kubectl.output(...wait)).toContain('condition met');
      await kubectl.output(
        ...['wait', '--for=jsonpath={.status.environments[0].active.drySHA}=' + template.drySHA],
        ...['--timeout=60s', '-n', namespace, 'promotionstrategy/shop'],
      );
      const generation = () =>
        kubectl.output(
          ...['get', 'promotionstrategy', 'shop', '-n', namespace, '-o', 'jsonpath={.metadata.generation}'],
        );
      expect((await kubectl.apply(strategy('shop', valid))).code).toBe(0);
      expect(await generation()).toBe('1');
    },
    timeoutMs,
  );

  it(
    'kubectl shows the columns of every kind',
    async () => {
      await eventually(async () => {
        const table = await kubectl.output(
          'get',
          'promotionstrategies,proposedcommits,pullrequests,commitstatuses',
          '-A',
        );
        const [strategies = '', commits = '', requests = '', statuses = ''] = table.split('\n\n');
        expect(strategies).toMatch(/^NAMESPACE +NAME +REPOSITORY +PROMOTED +READY +.*AGE\n/);
        expect(strategies).toMatch(
          /^\S+-shop +promotionstrategy\.promoter\.argoproj\.io\/shop +demo +False +True /m,
        );
        expect(commits).toMatch(/^NAMESPACE +NAME +.*READY.* AGE\n/);
        expect(commits.match(/^\S+-shop +proposedcommit/gm)).toHaveLength(2);
        expect(requests).toMatch(/^NAMESPACE +NAME +.*STATE.*READY.* AGE\n/);
        expect(requests).toMatch(/^\S+-shop +pullrequest\S+ .* merged .*True/m);
        expect(requests).toMatch(/^\S+-shop +pullrequest\S+ .* open .*True/m);
        expect(statuses).toMatch(/^NAMESPACE +NAME +KEY +SHA +PHASE +READY.* AGE\n/);
        expect(statuses).toMatch(/^\S+-shop +commitstatus\S+ +promotion +[0-9a-f]{40} +success +True/m);
      }, timeoutMs);
      expect(await kubectl.output('get', 'ps,commitstatuses', '-A')).toContain(
        'promotionstrategy.promoter.argoproj.io/shop',
      );
    },
    timeoutMs,
  );

  it(
    'kubectl selects, formats and watches objects',
    async () => {
      const inNamespace = ['-n', namespace];
      const names = ['-o', 'name'];
      const one = 'promotionstrategy.promoter.argoproj.io/shop\n';
      expect(
        await kubectl.output('get', 'promotionstrategies', ...inNamespace, '-l', 'team=tea', ...names),
      ).toBe(one);
      expect(
        await kubectl.output('get', 'promotionstrategies', ...inNamespace, '-l', 'team=cake', ...names),
      ).toBe('');
      const yaml = await kubectl.output('get', 'promotionstrategy', 'shop', ...inNamespace, '-o', 'yaml');
      expect(yaml).toMatch(/^kind: PromotionStrategy$/m);
      expect(yaml).toContain(`drySHA: ${template.drySHA}`);

      const watch = Program.start(
        'kubectl',
        [...kubeconfigFlags(kubeconfig), 'get', 'promotionstrategies', ...inNamespace, '-w', ...names],
        { env: { HOME: fixture.folder } },
      );
      try {
        await watch.says(one);
        await kubectl.output('label', 'promotionstrategy', 'shop', ...inNamespace, 'seen=yes');
        await watch.says(one + one);
      } finally {
        await watch.destroy();
      }
    },
    timeoutMs,
  );

  it(
    'kubectl explains the fields of the kinds',
    async () => {
      const environment = await kubectl.output('explain', 'promotionstrategy.spec.environments');
      expect(environment).toMatch(/GROUP: +promoter\.argoproj\.io/);
      expect(environment).toMatch(/FIELD: environments <\[\]Object>/);
      expect(environment).toContain('in which changes reach them');
      expect(environment).toMatch(/branch\t<string> -required-/);
      const nested = await kubectl.output(
        'explain',
        'promotionstrategy.spec.environments.activeCommitStatuses.key',
      );
      expect(nested).toMatch(/FIELD: key <string>/);
      expect(await kubectl.output('explain', 'commitstatus.spec.phase')).toContain('in_progress');
    },
    timeoutMs,
  );

  it(
    'kubectl uses server-side apply, and names the owner of a field in a conflict',
    async () => {
      const manifest = strategy('sides', valid.replace('name: demo', 'name: elsewhere'));
      const serverSide = ['--server-side', '--field-manager=ada'];
      expect(await kubectl.apply(manifest, ...serverSide)).toMatchObject({
        code: 0,
        stdout: 'promotionstrategy.promoter.argoproj.io/sides serverside-applied\n',
      });
      const other = await kubectl.apply(
        manifest.replace('dryBranch: main', 'dryBranch: trunk'),
        '--server-side',
        '--field-manager=bob',
      );
      expect(other.code).toBe(1);
      expect(other.stderr).toContain('conflict with "ada": .spec.dryBranch');
      await kubectl.output('delete', 'promotionstrategy', 'sides', '-n', namespace);
    },
    timeoutMs,
  );

  it.each([
    [
      'a branch name that git refuses',
      valid.replace(dev, 'a..b'),
      /spec\.environments\[0\]\.branch.*must not contain '\.\.'/s,
    ],
    ['no environments', valid.replace(/environments:[^]*/, ''), /spec\.environments: Required value/],
    [
      'an environment twice',
      valid.replace(prod, dev),
      /spec\.environments\[1\]: Duplicate value.*environments\/dev/,
    ],
    [
      'a field of the wrong type',
      valid.replace('false', '3'),
      /spec\.environments\[1\]\.autoMerge: Invalid value: "integer"/,
    ],
    [
      'a merge method that does not exist',
      `${valid}pullRequest:\n  mergeMethod: octopus\n`,
      /spec\.pullRequest\.mergeMethod: Unsupported value: "octopus": supported values: .*"squash"/,
    ],
    ['an unknown field', `${valid}enviroments: []\n`, /unknown field "spec\.enviroments"/],
    [
      'an unknown dependency',
      valid.replace('    autoMerge: false', '    dependsOn: [environments/qa]'),
      /dependsOn must list other environments/,
    ],
  ])(
    'kubectl reports the problem with %s',
    async (_, spec, message) => {
      const { code, stderr } = await kubectl.apply(strategy('bad', spec));
      expect(stderr).toMatch(message);
      expect(code).toBe(1);
      expect((await kubectl.run(['get', 'promotionstrategy', 'bad', '-n', namespace])).stderr).toContain(
        'NotFound',
      );
    },
    timeoutMs,
  );

  needsControllers('garbage collection deletes the pull requests of a deleted strategy', () => {
    it(
      'kubectl completes the deletion of a PullRequest only when the pull request is closed at the forge',
      async () => {
        const { fullName } = team.repository;
        const open = async () =>
          (await fixture.forgeApi.pullRequests(fullName)).filter(({ state }) => state === 'open');
        expect(await open()).toHaveLength(1);
        await kubectl.output('delete', 'promotionstrategy', 'shop', '-n', namespace);
        await eventually(async () => {
          expect(await kubectl.output('get', 'pullrequests', '-n', namespace, '-o', 'name')).toBe('');
        }, timeoutMs);
        expect(await open()).toEqual([]);
      },
      timeoutMs,
    );
  });

  describe('kubectl with the credentials of an app', () => {
    const asApp = (app: AppName): Kubectl =>
      new Kubectl(fixture.folder, { path: join(fixture.folder, 'fleet', app, 'kubeconfig') });
    const can = async (app: AppName, ...args: string[]): Promise<string> => {
      const account = `--as=system:serviceaccount:${namespaces.system}:${app}`;
      return (await kubectl.run(['auth', 'can-i', ...args, account])).stdout.trim();
    };

    it.each<[AppName, string, string[]]>([
      ['promoter', 'yes', ['list', 'promotionstrategies.promoter.argoproj.io', '-A']],
      ['promoter', 'yes', ['create', 'pullrequests.promoter.argoproj.io', '-n', namespace]],
      ['promoter', 'yes', ['get', 'secrets', '-n', namespace]],
      ['promoter', 'no', ['list', 'secrets', '-n', namespace]],
      ['promoter', 'no', ['create', 'secrets', '-n', namespace]],
      ['promoter', 'no', ['delete', 'promotionstrategies.promoter.argoproj.io', '-n', namespace]],
      ['promoter', 'yes', ['update', 'leases.coordination.k8s.io', '-n', namespaces.system]],
      ['promoter', 'no', ['update', 'leases.coordination.k8s.io', '-n', namespace]],
      ['commit-status-sync', 'yes', ['list', 'commitstatuses.commit-status.argoproj.io', '-A']],
      ['commit-status-sync', 'no', ['create', 'pullrequests.promoter.argoproj.io', '-n', namespace]],
      ['commit-status-sync', 'no', ['list', 'secrets', '-n', namespace]],
      ['commit-status-sync', 'no', ['patch', 'proposedcommits.promoter.argoproj.io', '-n', namespace]],
      ['commit-status-sync', 'no', ['list', 'pods', '-A']],
      ['gitops-responder', 'yes', ['list', 'eventresponses.security.ugallu.io', '-A']],
      ['gitops-responder', 'no', ['create', 'eventresponses.security.ugallu.io', '-A']],
      ['gitops-responder', 'no', ['patch', 'securityevents.security.ugallu.io', '-A']],
      ['gitops-responder', 'yes', ['list', 'secrets', '-n', namespaces.config]],
      ['gitops-responder', 'no', ['create', 'secrets', '-n', namespaces.config]],
      ['gitops-responder', 'no', ['get', 'secrets', '-n', namespace]],
      ['gitops-responder', 'no', ['get', 'secrets', '-n', namespaces.system]],
      ['gitops-responder', 'yes', ['get', 'clusterrolebindings.rbac.authorization.k8s.io', '-A']],
      ['gitops-responder', 'no', ['delete', 'clusterrolebindings.rbac.authorization.k8s.io', '-A']],
    ])(
      'authenticates as %s, and receives the answer %s when asked about the permission to %j',
      async (app, answer, question) => {
        expect(await can(app, ...question)).toBe(answer);
      },
    );

    it(
      'has exactly the permissions that its chart grants',
      async () => {
        const promoter = asApp('promoter');
        await promoter.output('get', 'promotionstrategies', '-A');
        await promoter.output('get', 'secret', 'forge-app', '-n', namespace, '-o', 'name');
        expect((await promoter.run(['get', 'secrets', '-A'])).stderr).toMatch(
          /Forbidden.*cannot list resource "secrets"/,
        );
        const sync = asApp('commit-status-sync');
        await sync.output('get', 'commitstatuses', '-A');
        const { stderr } = await sync.run(['delete', 'pullrequest', 'any', '-n', namespace]);
        expect(stderr).toMatch(/forbidden/i);
        expect((await sync.run(['get', 'leases', '-A'])).stderr).toContain('Forbidden');
      },
      timeoutMs,
    );
  });
});
