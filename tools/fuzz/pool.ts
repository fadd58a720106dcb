// What the service has, as its own replies told: so that requests meet something, and not only "no such".

const most = 300;

/** Names and ids by the path of the list they stand in, and which functions which device has. */
export class Pool {
  #known = new Map();
  #rpc = [];
  #avoided;

  /** @param avoided ids that nothing is asked about */
  constructor(avoided = []) {
    this.#avoided = new Set(avoided);
  }

  /** Learns from the reply to a request that succeeded. */
  learn(path, text) {
    const collection = path.split('?')[0].replace(/\/$/, '');
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const records = Array.isArray(value) ? value : Array.isArray(value?.items) ? value.items : [value];
    for (const record of records) {
      if (typeof record !== 'object' || record === null) continue;
      for (const key of ['name', 'id'])
        if (typeof record[key] === 'string') this.#add(collection, record[key]);
      if (typeof record.protocol === 'string') this.#add('protocol', record.protocol);
      for (const file of record.output_files ?? []) this.#add('file_name', file.name);
      if (typeof record.lab_name === 'string') this.#addDevice(record);
    }
  }

  /** Values of the path parameters of an operation that belong together; undefined: nothing of the kind is known. */
  pick(path, chance) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    if (names.includes('device_id')) {
      const device = at(this.#rpc, chance);
      if (device === undefined) return undefined;
      const known = {
        lab_id: device.lab,
        device_id: device.name,
        function_name: at(device.functions, chance),
      };
      return names.every((name) => known[name] !== undefined) ? known : undefined;
    }
    const values = {};
    for (const name of names) {
      const collection = path.slice(0, path.indexOf(`{${name}}`) - 1);
      const value = at(this.#known.get(name) ?? this.#known.get(collection) ?? [], chance);
      if (value === undefined) return undefined;
      values[name] = value;
    }
    return values;
  }

  #add(collection, value) {
    const values = this.#known.get(collection) ?? [];
    this.#known.set(collection, values);
    if (this.#avoided.has(value) || values.includes(value)) return;
    values.push(value);
    if (values.length > most) values.shift();
  }

  #addDevice({ lab_name: lab, name, functions = [] }) {
    if (this.#rpc.some((each) => each.lab === lab && each.name === name)) return;
    const queries = functions.filter(({ kind }) => kind === 'query').map((each) => each.name);
    this.#rpc.push({ lab, name, functions: queries });
  }
}

function at(values, chance) {
  return values[chance % values.length];
}
