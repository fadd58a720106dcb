// Measures the optimizer, with published optima or beside other optimizers.
//
//   npm run bench:optimizer -- [--problem NAME,...|all] [--seeds 20] [--workers 2] [--csv FOLDER]
//   npm run bench:optimizer -- --peers NAME,...|all [--problems NAME,...] [--seeds 5] [--budget-scale 1] [--workers 2]
//     [--plots FOLDER] [--kept-only]
//   npm run bench:optimizer -- --keep [--peers NAME,...] [--problems NAME,...] [--seeds 5]
//   npm run bench:optimizer -- --ours-only [--problems NAME,...] [--seeds 5] [--label NAME]

const comparison = ['--peers', '--ours-only', '--kept-only', '--keep'];
const isComparison = process.argv.some((each) => comparison.includes(each.split('=')[0] ?? ''));
await import(isComparison ? './optimizer/comparison/compare.js' : './optimizer/published.js');
