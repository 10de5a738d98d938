import { keyString, type EventResponse, type EventResponseStatus, type ObjectKey } from '@interlock/api';
import { responseOf } from '@interlock/responding/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Occupancy } from './occupancy.js';
import { branched, opened, routed } from './testing/observe.js';

/** Responses by name, and their observed versions. */
class Responses {
  readonly objects = new Map<string, EventResponse>();
  readonly seen = new Set<string>();
  #index: (response: EventResponse) => readonly string[] = () => [];

  readonly progress = {
    hasSeen: (key: ObjectKey, version: string) => this.seen.has(`${keyString(key)} ${version}`),
    hasSeenRemoval: () => false,
    listedAt: 0,
    heardAt: 0,
  };

  addIndex(_: string, index: (response: EventResponse) => readonly string[]): void {
    this.#index = index;
  }

  byIndex(_: string, value: string): EventResponse[] {
    return [...this.objects.values()].filter((response) => this.#index(response).includes(value));
  }

  get({ name }: ObjectKey): EventResponse | undefined {
    return this.objects.get(name);
  }

  /** Delivers a response, as the watch does. */
  show(name: string, version: string, status?: EventResponseStatus): EventResponse {
    const response = {
      ...responseOf({}, { name, uid: `uid-${name}`, resourceVersion: version }),
      ...(status && { status }),
    };
    this.objects.set(name, response);
    this.seen.add(`${name} ${version}`);
    return response;
  }
}

let responses: Responses;
let occupancy: Occupancy;
beforeEach(() => {
  responses = new Responses();
  occupancy = new Occupancy(responses);
});

describe('Occupancy', () => {
  it.each<[string, EventResponseStatus | undefined, number]>([
    ['that is new', undefined, 0],
    ['with an open pull request', opened, 1],
    ['that is about to open a pull request', branched, 1],
    ['whose branch is left over', { ...branched, phase: 'Failed' }, 0],
    ['whose pull request is merged', { ...opened, changeRequest: { number: 7, state: 'merged' } }, 0],
    ['that was only recorded', { ...opened, changeRequest: { state: 'open' } }, 0],
    ['of another route', { ...opened, route: { ...routed, matchDigest: 'other' } }, 0],
    ['of the route before another one was inserted', { ...opened, route: { ...routed, index: 1 } }, 1],
  ])('determines whether a response takes a place: a response %s', (_, status, expected) => {
    const own = responses.show('own', '1', opened);
    responses.show('other', '1', status);
    expect(occupancy.others(own, routed)).toBe(expected);
  });

  it('counts an attempt from before its first write until the cache shows how it ended', () => {
    const own = responses.show('own', '1');
    const other = responses.show('other', '1');
    occupancy.take(other, routed);
    expect(occupancy.others(own, routed)).toBe(1);
    expect(occupancy.others(other, routed)).toBe(0);
    occupancy.release({ ...other, metadata: { ...other.metadata, resourceVersion: '3' } });
    responses.show('other', '2', branched);
    expect(occupancy.others(own, routed)).toBe(1);
    responses.show('other', '3', { ...opened, changeRequest: { number: 7, state: 'closed' } });
    expect(occupancy.others(own, routed)).toBe(0);
  });

  it('refuses a place to a response that was observed before others took all places', () => {
    const [first, second] = [responses.show('first', '1'), responses.show('second', '1')];
    expect(occupancy.others(first, routed)).toBe(0);
    expect(occupancy.others(second, routed)).toBe(0);
    expect(occupancy.tryTake(first, routed, 1)).toBe(true);
    expect(occupancy.tryTake(second, routed, 1)).toBe(false);
    expect(occupancy.tryTake(first, routed, 1)).toBe(true);
    expect(occupancy.others(first, routed)).toBe(0);
  });

  it('does not count a deleted response, or a response without a written status', () => {
    const own = responses.show('own', '1');
    const removed = responses.show('removed', '1');
    occupancy.take(removed, routed);
    responses.objects.delete('removed');
    occupancy.release({ ...removed, metadata: { ...removed.metadata, resourceVersion: '9' } });
    const unwritten = responses.show('unwritten', '1');
    occupancy.take(unwritten, routed);
    occupancy.release(unwritten);
    expect(occupancy.others(own, routed)).toBe(0);
  });
});
