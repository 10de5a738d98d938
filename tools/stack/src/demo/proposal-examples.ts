/** The example manifests of the proposal, in YAML, with names and references filled in. */
export const proposalExamples = {
  promotionStrategy: `
apiVersion: promoter.argoproj.io/v1alpha1
kind: PromotionStrategy
metadata:
  name: example
  annotations:
    promotor.argoproj.io/refreshedAt: "2024-03-12T00:00:00Z"
spec:
  repoRef:
    name: demo
  dryBranch: main
  activeCommitStatuses:
  - key: argocd-sync
  - key: argocd-health
  proposedCommitStatuses:
  - key: kubelint
  environments:
  - branch: dev
    autoMerge: true
  - branch: test
    activeCommitStatuses:
    - key: load-test
  - branch: prod
    proposedCommitStatuses:
    - key: prod-deployment-freeze
    autoMerge: false
  proposedBranchSuffix: '-next'
`,
  proposedCommit: `
apiVersion: promoter.argoproj.io/v1alpha1
kind: ProposedCommit
metadata:
  name: example
  labels:
    promoter.argoproj.io/active-branch: dev
  annotations:
    promotor.argoproj.io/refreshedAt: "2024-03-12T00:00:00Z"
spec:
  repoRef:
    name: demo
  proposedBranch: dev-next
  activeBranch: dev
  commitStatuses:
    proposed:
    - key: image-allowed
    - key: code-freeze
    - key: promotion
    active:
    - key: argocd-health
`,
  commitStatus: `
apiVersion: commit-status.argoproj.io/v1alpha1
kind: CommitStatus
metadata:
  name: example
  labels:
    commit-status.argoproj.io/key: argocd-health
spec:
  repoRef:
    name: demo
  sha: xyz321
  name: hydration-successful
  description: All Applications are synced and healthy
  phase: success
  url: https://argocd.example.com/applications/example
`,
  pullRequest: `
apiVersion: promoter.argoproj.io/v1alpha1
kind: PullRequest
metadata:
  name: example
spec:
  title: Promote to dev
  description: What dev gets next
  sourceBranch: dev-next
  targetBranch: dev
`,
  revertCommit: `
apiVersion: promoter.argoproj.io/v1alpha1
kind: RevertCommit
metadata:
  name: example
  labels:
    promoter.argoproj.io/active-branch: test
spec:
  repoRef:
    name: demo
  drySHA: DRY
  activeBranch: test
`,
} as const;
