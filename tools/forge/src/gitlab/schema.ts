import * as z from 'zod';

/** A boolean of a JSON body, or the text of one in a query or a form. */
export const flag = z.union([
  z.boolean(),
  z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1'),
]);
