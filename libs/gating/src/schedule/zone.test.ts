import { afterEach, expect, test } from '@jest/globals';
import { instantOf, zoneOf } from './zone.js';

const { DateTimeFormat } = Intl;

afterEach(() => void Object.assign(Intl, { DateTimeFormat }));

test('reads a zone once for all spellings of its name, and names it as each of them', () => {
  let reads = 0;
  const counting = new Proxy(DateTimeFormat, {
    construct(target, args: ConstructorParameters<typeof DateTimeFormat>) {
      reads += 1;
      return new target(...args);
    },
  });
  Object.assign(Intl, { DateTimeFormat: counting });
  /* Test files share the zones that were read; no other test names this one. */
  const names = ['aUSTRALIA/eUCLA', 'Australia/Eucla', 'australia/eucla'];
  const zones = names.map((name) => zoneOf(name));
  expect(zones.map(({ name }) => name)).toEqual(names);
  expect(zones.map((zone) => zone.segment(0, 0, 1).offset)).toEqual(Array(3).fill(8.75 * 3_600_000));
  expect(reads).toBe(1);
});

test('does not search the years between two distant times', () => {
  let reads = 0;
  const counting = new Proxy(DateTimeFormat, {
    construct(target, args: ConstructorParameters<typeof DateTimeFormat>) {
      const format = new target(...args);
      const formatToParts = (time?: number) => {
        reads += 1;
        return format.formatToParts(time);
      };
      return Object.assign(Object.create(format) as object, { formatToParts });
    },
  });
  Object.assign(Intl, { DateTimeFormat: counting });
  /* Test files share the zones that were read; no other test names this one. */
  const zone = zoneOf('Antarctica/Troll');
  const noon = (year: number) => Date.UTC(year, 6, 1, 12);
  const years = [2026, 9999, 1700];
  expect(years.map((year) => instantOf(zone, noon(year)) - noon(year))).toEqual([-7_200_000, -7_200_000, 0]);
  expect(reads).toBeLessThan(5_000);
});
