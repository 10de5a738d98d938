import { describe, expect, it } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import fc from 'fast-check';
import { commitStatusOf, reportName } from './child.js';
import { argocd, flux, sha, strategy, timed } from './testing/builders.js';

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/);
const branch = fc.stringMatching(/^[a-z0-9]([-a-z0-9/]{0,60}[a-z0-9])?$/);

describe('reportName', () => {
  it('is a DNS label that is unique for the source and branch', () => {
    fc.assert(
      fc.property(name, branch, name, branch, (oneName, oneBranch, otherName, otherBranch) => {
        const of = (source: string, environment: string) => {
          const one = argocd();
          return reportName({ ...one, metadata: { ...one.metadata, name: source } }, environment);
        };
        const one = of(oneName, oneBranch);
        expect(one).toBe(of(oneName, oneBranch));
        expect(one).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
        if (oneName !== otherName || oneBranch !== otherBranch) {
          expect(one).not.toBe(of(otherName, otherBranch));
        }
      }),
    );
  });

  it('distinguishes kinds of sources, and similar names and branches', () => {
    const called = (of: string) => ({ ...argocd(), metadata: { ...argocd().metadata, name: of } });
    const names = [
      reportName(argocd(), 'dev'),
      reportName(flux(), 'dev'),
      reportName({ ...timed([]), metadata: argocd().metadata }, 'dev'),
      reportName(called('a'), 'argocd-x'),
      reportName(called('a-argocd'), 'x'),
      reportName(called('a'), 'argocd/x'),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('commitStatusOf', () => {
  const report = { branch: 'dev', sha: sha('a'), phase: 'success' as const, description: 'fine' };

  it('belongs to its source, and carries its key, strategy and environment', () => {
    expect(commitStatusOf(argocd(), strategy({ dev: sha('a') }), report)).toMatchObject({
      metadata: {
        namespace: 'team',
        labels: {
          'commit-status.argoproj.io/key': 'argocd-health',
          'promoter.argoproj.io/promotion-strategy': 'app',
          'promoter.argoproj.io/active-branch': 'dev',
        },
        ownerReferences: [{ kind: 'ArgoCDCommitStatus', name: 'health', controller: true }],
      },
      spec: { repoRef: { name: 'deployments' }, sha: sha('a'), name: 'argocd-health/dev', phase: 'success' },
    });
  });

  it('is accepted by admission for any branch and description', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 200 }),
        fc.string({ maxLength: 3000 }),
        (of, description) => {
          const { spec } = commitStatusOf(argocd(), strategy({ dev: sha('a') }), {
            ...report,
            branch: of,
            description,
          });
          expect(CommitStatus.spec.safeParse(spec).error).toBeUndefined();
        },
      ),
    );
  });

  it('distinguishes two long branches at the SCM', () => {
    const shown = (of: string) =>
      commitStatusOf(argocd(), strategy({ dev: sha('a') }), { ...report, branch: of })['spec'];
    expect(shown(`${'x'.repeat(150)}1`)).not.toEqual(shown(`${'x'.repeat(150)}2`));
  });
});
