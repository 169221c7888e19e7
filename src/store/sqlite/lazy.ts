/** Members of stored values that are parsed when somebody first looks at them: most of a long conversation never is. */

interface Source {
  readonly ref: number;
  readonly body: (ref: number) => string;
  value: unknown;
}

/**
 * Defines a member of that name on one object after another. They share its accessor: with one of its own each object would
 * have a shape of its own, which takes longer to make than the value to parse.
 */
export function lazyMember(name: string): (object: object, ref: number, body: Source["body"]) => void {
  const key = Symbol(name);
  const accessor = {
    enumerable: true,
    get(this: Readonly<Record<symbol, Source>>): unknown {
      const source = this[key];
      return source && (source.value ??= JSON.parse(source.body(source.ref)));
    },
  };
  return (object, ref, body) => {
    const source: Source = { ref, body, value: undefined };
    Object.defineProperty(object, key, { value: source });
    Object.defineProperty(object, name, accessor);
  };
}
