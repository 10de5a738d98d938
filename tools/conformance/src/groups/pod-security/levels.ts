import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { securedNamespace } from '../../suite/pod-security.js';
import { podOfAccount, restrictedContext } from '../../suite/account-pods.js';
import { deployment, deployments } from '../../suite/workloads.js';

const query = { dryRun: 'All' };

/** The violations of each level, with their messages. */
const baseline: readonly (readonly [
  text: string,
  spec: Record<string, unknown>,
  fields: Record<string, unknown>,
])[] = [
  ['host namespaces (hostNetwork=true, hostPID=true)', { hostNetwork: true, hostPID: true }, {}],
  [
    'privileged (container "app" must not set securityContext.privileged=true)',
    {},
    { securityContext: { privileged: true } },
  ],
  [
    'non-default capabilities (container "app" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    {},
    { securityContext: { capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } } },
  ],
  ['hostPath volumes (volume "root")', { volumes: [{ name: 'root', hostPath: { path: '/' } }] }, {}],
  ['hostPort (container "app" uses hostPort 8080)', {}, { ports: [{ containerPort: 80, hostPort: 8080 }] }],
  [
    'seccompProfile (container "app" must not set securityContext.seccompProfile.type to "Unconfined")',
    {},
    { securityContext: { seccompProfile: { type: 'Unconfined' } } },
  ],
  [
    'forbidden sysctls (kernel.msgmax)',
    { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
    {},
  ],
];

/** Declares the rules about the levels of Pod Security. */
export function levelRules(rule: Rule): void {
  rule('refuses pods that the baseline level forbids, with what is wrong', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'baseline' });
    for (const [text, spec, fields] of baseline) {
      const name = scope.name('pod');
      const answer = await scope.api.post(`${path}/pods`, podOfAccount(name, spec, fields), { query });
      expect(answer).toMatchObject({
        status: 403,
        body: {
          reason: 'Forbidden',
          message: `pods "${name}" is forbidden: violates PodSecurity "baseline:latest": ${text}`,
          details: { name, kind: 'pods' },
        },
      });
    }
    expect((await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod')), { query })).status).toBe(
      201,
    );
  });

  rule('refuses pods that do not state what the restricted level requires', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'restricted' });
    const answer = await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod')), { query });
    expect(answer.status).toBe(403);
    const texts = [
      'allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false)',
      'unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"])',
      'runAsNonRoot != true (pod or container "app" must set securityContext.runAsNonRoot=true)',
      'seccompProfile (pod or container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ];
    expect(answer.body.message).toContain(`violates PodSecurity "restricted:latest": ${texts.join(', ')}`);
    const hardened = podOfAccount(scope.name('pod'), {}, { securityContext: restrictedContext });
    expect((await scope.api.post(`${path}/pods`, hardened, { query })).status).toBe(201);
  });

  rule('refuses volumes and users that the restricted level forbids', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'restricted' });
    const post = (spec: Record<string, unknown>, context: object = restrictedContext) =>
      scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod'), spec, { securityContext: context }), {
        query,
      });
    const volumes = [
      { name: 'root', hostPath: { path: '/' } },
      { name: 'scratch', emptyDir: {} },
    ];
    expect((await post({ volumes })).body.message).toContain(
      'restricted volume types (volume "root" uses restricted volume type "hostPath")',
    );
    const root = await post({}, { ...restrictedContext, runAsUser: 0 });
    expect(root.body.message).toContain('runAsUser=0 (container "app" must not set runAsUser=0)');
    const unsafe = await post({ securityContext: { runAsNonRoot: false } });
    expect(unsafe.body.message).toContain(
      'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)',
    );
  });

  rule('allows everything at the privileged level', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'privileged' });
    const spec = { hostNetwork: true, volumes: [{ name: 'root', hostPath: { path: '/' } }] };
    const created = await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod'), spec), { query });
    expect({ status: created.status, warnings: created.warnings }).toEqual({ status: 201, warnings: [] });
  });

  rule('checks init containers as well', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'baseline' });
    const securityContext = { privileged: true };
    const initContainers = [{ name: 'init', image: 'example.com/pause:1.0', securityContext }];
    const refused = await scope.api.post(
      `${path}/pods`,
      podOfAccount(scope.name('pod'), { initContainers }),
      {
        query,
      },
    );
    expect(refused.body.message).toContain('privileged (container "init" must not set');
  });

  rule('checks pods as the level was in the version that a label names', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'restricted', 'enforce-version': 'v1.18' });
    const context = { allowPrivilegeEscalation: false, runAsNonRoot: true };
    const early = podOfAccount(scope.name('pod'), {}, { securityContext: context });
    expect((await scope.api.post(`${path}/pods`, early, { query })).status).toBe(201);
    const plain = await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod')), { query });
    expect(plain.body.message).toContain(
      'violates PodSecurity "restricted:v1.18": allowPrivilegeEscalation != false (',
    );
    expect(plain.body.message).not.toContain('seccompProfile');
  });

  rule('warns about pods that violate the level of warnings only', async (scope) => {
    const { path } = await securedNamespace(scope, { enforce: 'baseline', warn: 'restricted' });
    const created = await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod')), { query });
    expect(created.status).toBe(201);
    expect(created.warnings).toEqual([
      expect.stringContaining(
        'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
      ),
    ]);
    const spec = { hostNetwork: true };
    const refused = await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod'), spec), { query });
    expect({ status: refused.status, warnings: refused.warnings }).toEqual({ status: 403, warnings: [] });
  });

  rule('does not refuse what makes pods, but warns about it', async (scope) => {
    const { name, path } = await securedNamespace(scope, { enforce: 'restricted', warn: 'restricted' });
    const created = await scope.api.post(deployments(name), deployment(scope.name('app')), { query });
    expect(created.status).toBe(201);
    expect(created.warnings).toEqual([
      expect.stringContaining(
        'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
      ),
    ]);
    expect((await scope.api.post(`${path}/pods`, podOfAccount(scope.name('pod')), { query })).status).toBe(
      403,
    );
  });
}
