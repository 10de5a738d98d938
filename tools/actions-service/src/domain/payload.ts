import { jsonText } from '../http/json.js';
import type { DomainContext } from './context.js';
import type { Delivery } from './model.js';

/** A text with characters outside the basic multilingual plane, which detects clients that cut text at code units. */
const commitMessage = 'Deploy 🚄 to 𝓹𝓻𝓸𝓭 – naïve café';

/** Returns the job message of an acquired delivery, as text. */
export function jobPayload(context: DomainContext, delivery: Delivery): string {
  const { job } = delivery;
  return jsonText({
    fileTable: ['.github/workflows/ci.yml'],
    mask: masks(delivery),
    steps: [],
    variables: variables(context, delivery),
    messageType: 'RunnerJobRequest',
    plan: { artifactLocation: '', artifactUri: '', planId: job.planId, planType: 'actions', version: 0 },
    timeline: { id: job.planId, changeId: 0, location: null },
    jobId: delivery.id,
    jobDisplayName: job.name,
    jobName: '__default',
    requestId: context.random.int64(),
    lockedUntil: new Date(delivery.lockedUntil).toISOString(),
    resources: { endpoints: [endpoint(context, delivery)], repositories: [], containers: [] },
    contextData: contextData(delivery),
    billingOwnerId: 'U_kgDOActions1',
    ...job.request.payloadExtra,
  });
}

function endpoint(context: DomainContext, delivery: Delivery): Record<string, unknown> {
  const urls = context.urls();
  const url = `${urls.run}/${String(delivery.shard)}/`;
  return {
    name: 'SystemVssConnection',
    url,
    authorization: { scheme: 'OAuth', parameters: { AccessToken: delivery.token } },
    isShared: false,
    isReady: true,
    data: {
      ServerId: '00000000-0000-0000-0000-000000000001',
      ServerName: 'actions',
      ResultsServiceUrl: `${urls.results}/`,
      CacheServerUrl: `${urls.results}/`,
      PipelinesServiceUrl: `${urls.tenant}/`,
      FeedStreamUrl: '',
      GenerateIdTokenUrl: '',
      ConnectivityChecks: '[]',
    },
  };
}

function variables(context: DomainContext, { job, token }: Delivery): Record<string, unknown> {
  const { durationHint, secrets = {} } = job.request;
  const plain = {
    'system.github.job': job.name,
    'system.github.run_id': String(job.run.id),
    'system.github.token.permissions': '{"Contents":"read","Metadata":"read"}',
    'system.orchestrationId': `${job.planId}.${job.name}.__default`,
    'system.runnerGroupName': context.state.groups.get(job.runner?.groupId ?? 0)?.name ?? 'Default',
    'system.workflowFileFullPath': '.github/workflows/ci.yml',
    'system.from_run_service': 'true',
    ...(durationHint !== undefined && { 'actions-service.durationMs': String(durationHint) }),
  };
  const secret = { 'system.github.token': `ghs_job_${token.slice(-20)}`, ...secrets };
  return {
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, { value }])),
    ...Object.fromEntries(Object.entries(secret).map(([name, value]) => [name, { value, isSecret: true }])),
  };
}

function masks({ job, token }: Delivery): unknown[] {
  return [token, ...Object.values(job.request.secrets ?? {})].map((value) => ({
    type: 'regex',
    value: value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  }));
}

function contextData({ job }: Delivery): Record<string, unknown> {
  const { run } = job;
  const [owner = ''] = run.repository.split('/');
  return {
    github: dictionary({
      repository: run.repository,
      repository_owner: owner,
      repository_id: '700000001',
      run_id: String(run.id),
      run_number: String(run.number),
      run_attempt: String(job.attempt),
      workflow: 'ci',
      workflow_ref: `${run.repository}/.github/workflows/ci.yml@refs/heads/main`,
      ref: 'refs/heads/main',
      sha: '1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c',
      event_name: 'push',
      actor: 'octocat',
      event: dictionary({ head_commit: dictionary({ message: commitMessage }) }),
    }),
    job: dictionary({ check_run_id: job.id, status: null }),
    runner: null,
    needs: dictionary({}),
    strategy: dictionary({ 'fail-fast': true, 'job-index': 0, 'job-total': 1 }),
    matrix: null,
  };
}

/** Returns the compact form of a dictionary of a context. */
function dictionary(values: Record<string, unknown>): { t: 2; d: { k: string; v: unknown }[] } {
  return { t: 2, d: Object.entries(values).map(([k, v]) => ({ k, v })) };
}
