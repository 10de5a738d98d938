import type { Domain } from '../../domain/domain.js';
import type { ForgeEvent } from '../../domain/events.js';
import type { Installation } from '../../domain/model.js';
import { nodeId, type Links } from '../links.js';
import { presentAccount } from '../present/account.js';
import { presentCheckRun, presentStatus } from '../present/check-run.js';
import { presentLabel, presentPull } from '../present/pull.js';
import { presentRepository } from '../present/repository.js';
import { presentHook } from '../present/hook.js';
import { branchesOf } from './branches.js';
import { pushPayload } from './push.js';
import type { Payload, Renderer } from '../../hooks/hook-protocol.js';

/** Returns the payload that GitHub sends for an event (GitHub, "Webhook events and payloads"). */
export function githubRenderer(domain: Domain, links: Links): Renderer {
  return (event, installation) =>
    payloadsOf(domain, links, event).map(({ event: name, action, payload }) => ({
      event: name,
      action,
      payload: {
        ...(action === null ? {} : { action }),
        ...payload,
        repository: presentRepository(domain.core, links, event.repository),
        sender: presentAccount(links, event.sender),
        ...common(installation),
      },
    }));
}

function common(installation: Installation | undefined): Record<string, unknown> {
  if (installation === undefined) return {};
  const { id } = installation;
  return { installation: { id, node_id: nodeId('Installation', id) } };
}

function payloadsOf(domain: Domain, links: Links, event: ForgeEvent): Payload[] {
  const { core } = domain;
  const { repository } = event;
  switch (event.type) {
    case 'push':
      return [{ event: 'push', action: null, payload: pushPayload(domain, links, event) }];
    case 'pullRequest':
      return [{ event: 'pull_request', action: event.action, payload: pullPayload(domain, links, event) }];
    case 'review': {
      const { id, state, body, authorId, submittedAt, sha } = event.review;
      const user = presentAccount(links, core.account(authorId));
      const review = {
        id,
        user,
        body,
        state: state.toLowerCase(),
        commit_id: sha,
        submitted_at: submittedAt,
      };
      const payload = { review, pull_request: presentPull(domain, links, repository, event.pull) };
      return [{ event: 'pull_request_review', action: 'submitted', payload }];
    }
    case 'checkRun': {
      const run = presentCheckRun(core, links, repository, event.run);
      return [{ event: 'check_run', action: event.action, payload: { check_run: run } }];
    }
    case 'status': {
      const { id, sha, context, state, description, targetUrl, createdAt } = event.status;
      const { updated_at } = presentStatus(core, links, repository, event.status);
      const payload = {
        id,
        sha,
        name: `${core.owner(repository).login}/${repository.name}`,
        context,
        state: state === 'running' ? 'pending' : state,
        description,
        target_url: targetUrl,
        branches: branchesOf(domain, links, repository, sha),
        created_at: createdAt,
        updated_at,
      };
      return [{ event: 'status', action: null, payload }];
    }
    case 'ping': {
      const hook = presentHook(core, links, repository, event.hook);
      const payload = { zen: 'Keep it logically awesome.', hook_id: event.hook.id, hook };
      return [{ event: 'ping', action: null, payload }];
    }
  }
}

function pullPayload(
  domain: Domain,
  links: Links,
  event: Extract<ForgeEvent, { type: 'pullRequest' }>,
): Record<string, unknown> {
  const { core, labels } = domain;
  const { repository, pull, moved, label, changes } = event;
  const { api } = links.repository(core.owner(repository).login, repository.name);
  const named = label === undefined ? undefined : labels.find(repository, label);
  const merger = pull.merge === undefined ? null : presentAccount(links, core.account(pull.merge.byId));
  return {
    number: pull.number,
    pull_request: {
      ...presentPull(domain, links, repository, pull),
      merged: pull.merge !== undefined,
      merged_by: merger,
    },
    ...(moved ?? {}),
    ...(changes === undefined ? {} : { changes }),
    ...(named === undefined ? {} : { label: presentLabel(api, named) }),
  };
}
