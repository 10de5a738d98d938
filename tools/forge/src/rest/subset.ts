/**
 * A part of a response: fields can be omitted, but unknown fields and other types are errors. The compiler checks it
 * with `{…} satisfies Subset<…>`.
 */
export type Subset<T> = T extends readonly (infer Item)[]
  ? Subset<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Subset<T[Key]> }
    : T;
