import type { ActionsGateway, Kind, RunnerGroup } from '@interlock/api';
import type { FieldProblem, OrProblem } from '@interlock/base';
import type { AppCredential } from '@interlock/broker';
import type { TenantContext } from '../render/context.js';
import type { CaBundle } from './ca-bundle.js';

/** An object that exists and carries the label of the gateway. */
export interface OwnedObject {
  kind: Kind;
  name: string;
  uid: string;
  isBeingDeleted: boolean;
}

/** How many pods of a Deployment there are to be, and are. */
export interface PodCount {
  ready: number;
  /** What keeps the ReplicaSet from creating pods, such as a ResourceQuota; absent: nothing. */
  failure?: string | undefined;
}

/** What the networks of GitHub are known to be. */
export interface GithubRanges {
  ranges: readonly string[];
  /** Milliseconds since the epoch. */
  fetchedAt: number;
}

/** An ActionsGateway and all that its state follows from. */
export interface ObservedGateway {
  gateway: ActionsGateway;
  context: TenantContext;
  /** The namespace is marked as one of a tenant by the platform team. */
  isTenant: boolean;
  /** What the platform team does not allow in the gateway, where the webhook was not asked. */
  problems: readonly FieldProblem[];
  /** Of the Secret that is named; only whether it can be used matters here. */
  credential: OrProblem<AppCredential>;
  /** The certificate authorities that are named; undefined: none are. */
  caBundle: OrProblem<CaBundle> | undefined;
  githubRanges: GithubRanges | undefined;
  /** This process has not had its first answer from GitHub, nor failed to get it. */
  areRangesAwaited: boolean;
  /** Undefined: there is no such Deployment. */
  proxy: PodCount | undefined;
  controller: PodCount | undefined;
  /** The RunnerGroups of the gateway. */
  groups: readonly RunnerGroup[];
  owned: readonly OwnedObject[];
}
