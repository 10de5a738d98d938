import { EventResponse, SecurityEvent, type EventResponseStatus } from '@interlock/api';
import { ClusterRoleBinding } from '@interlock/kube';
import { broadBinding, rbacFolder } from '../demo/rbac.js';
import { createPerson } from '../people/people.js';
import type { Person, ShownPullRequest } from '../people/person.js';
import { readFiles } from '../repository/commit.js';
import type { Stack } from '../stack.js';
import type { Say } from './narrator.js';
import { RbacDelivery } from './rbac-delivery.js';
import { ResponseWatch } from './response-watch.js';
import type { Step, Story } from './step.js';

const responder = 'ugallu-gitops-responder';
const hostileName = '`@everyone` <img src=x onerror=alert(1)> [click](javascript:alert(1)) {{ .Secret }}\n# Approved';

/**
 * A ClusterRoleBinding gives too much: a pull request takes it away. What is detected may be hostile, an event may come
 * twice, and a response may be another responder's.
 */
export function respondStory(base: Story): Story {
  return {
    ...base,
    title: 'security events are answered with pull requests',
    ending: 'Every event has the answer that it should have.',
    steps: [
      step('ClusterAdminGranted: a group of CI is cluster-admin', revoke),
      step('a hostile subject, and a path that leads out of the repository', hostile),
      step('the same event again, and a response for another responder', again),
    ],
  };
}

type Scene = (stage: Stage) => Promise<string[]>;

function step(title: string, scene: Scene): Step {
  return {
    title,
    push: () => Promise.resolve(),
    check: async (stack, say, signal) => {
      const stage = new Stage(stack, say, signal);
      try {
        return await scene(stage);
      } finally {
        await stage.watch.stop();
      }
    },
  };
}

/** What every scene needs. */
class Stage {
  readonly watch: ResponseWatch;

  constructor(
    readonly stack: Stack,
    readonly say: Say,
    readonly signal: AbortSignal,
  ) {
    this.watch = new ResponseWatch(stack.client, say);
  }

  async detect(name: string, spec: SecurityEvent['spec']): Promise<void> {
    const { kind = '', name: subject = '' } = spec.subject ?? {};
    this.say(`  event ${name}: ${spec.type} on ${kind} ${JSON.stringify(subject)}`);
    await this.stack.client.apply(SecurityEvent, { metadata: { name }, spec }, { fieldManager: 'detector' });
  }

  /** A playbook says what is to be done about an event. */
  async respond(
    name: string,
    event: string,
    parameters: Record<string, string>,
    responderName = responder,
  ): Promise<void> {
    this.say(`  response ${name} of ${responderName}: ${JSON.stringify(parameters)}`);
    const spec: EventResponse['spec'] = {
      securityEventRef: { name: event },
      responder: { kind: 'Deployment', name: responderName },
      action: { type: 'GitOpsChange', actionRef: 'revoke-clusterrolebinding', parameters },
    };
    await this.stack.client.apply(EventResponse, { metadata: { name }, spec }, { fieldManager: 'playbook' });
  }

  ended(name: string): Promise<EventResponseStatus> {
    const isEnd = ({ phase }: EventResponseStatus) => phase === 'Succeeded' || phase === 'Failed';
    return this.watch.until(name, 'answered', isEnd, this.signal);
  }
}
