import { beforeEach, describe, expect, test } from '@jest/globals';
import { ReaderSlots, type SlotUser } from './reader-slots.js';

let slots: ReaderSlots;
let open: Set<string>;

/** A reader with a process that the test keeps busy. */
class FakeReader implements SlotUser {
  isIdle = false;

  constructor(
    readonly owner: string,
    readonly name: string,
  ) {}

  /** Starts the process as soon as there is a slot. */
  async start(): Promise<void> {
    if (!slots.tryTake(this)) await slots.take(this);
    open.add(this.name);
  }

  rest(): void {
    this.isIdle = true;
    slots.rest(this);
  }

  close(): void {
    open.delete(this.name);
    slots.free(this);
  }
}

const readers = (owner: string, ...names: string[]) => names.map((name) => new FakeReader(owner, name));
const settle = () => new Promise(setImmediate);

async function startAll(...all: FakeReader[]): Promise<void> {
  for (const reader of all) void reader.start();
  await settle();
}

beforeEach(() => {
  slots = new ReaderSlots(4);
  open = new Set();
});

describe('ReaderSlots', () => {
  test('never has more processes than slots, and gives one owner at most half of them', async () => {
    await startAll(...readers('a', 'a1', 'a2', 'a3'), ...readers('b', 'b1', 'b2'), ...readers('c', 'c1'));
    expect([...open]).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('gives the slot of an idle reader to a waiting reader, and serves the owners in turn', async () => {
    const [a1, a2, a3, a4] = readers('a', 'a1', 'a2', 'a3', 'a4');
    const others = [...readers('b', 'b1', 'b2'), ...readers('c', 'c1')];
    await startAll(a1!, a2!, a3!, a4!, ...others);
    a1!.rest();
    await settle();
    expect([...open]).toEqual(['a2', 'b1', 'b2', 'a3']);
    a2!.rest();
    await settle();
    expect([...open]).toEqual(['b1', 'b2', 'a3', 'c1']);
  });

  test('keeps an idle reader open if its slot is of no use to the readers that wait', async () => {
    const [a1, a2, a3] = readers('a', 'a1', 'a2', 'a3');
    const [b1] = readers('b', 'b1');
    await startAll(a1!, a2!, a3!, b1!);
    b1!.rest();
    await settle();
    expect([...open]).toEqual(['a1', 'a2', 'b1']);
    a1!.rest();
    await settle();
    expect([...open]).toEqual(['a2', 'b1', 'a3']);
  });

  test('closes the least recently used idle reader', async () => {
    const [a1, a2] = readers('a', 'a1', 'a2');
    const [b1, b2] = readers('b', 'b1', 'b2');
    await startAll(a1!, a2!, b1!, b2!);
    for (const reader of [a1!, a2!, b1!]) reader.isIdle = true;
    slots.use(a1!);
    await startAll(...readers('c', 'c1'));
    expect([...open]).toEqual(['a1', 'b1', 'b2', 'c1']);
  });

  test('rejects waiting readers when all are closed', async () => {
    slots = new ReaderSlots(1);
    const [first, second] = [...readers('a', 'first'), ...readers('b', 'second')];
    await startAll(first!);
    const waiting = expect(second!.start()).rejects.toThrow('closed');
    slots.closeAll(new Error('closed'));
    await waiting;
    expect(open.size).toBe(0);
  });
});
