"""Say what an evaluation measured: results, intervals, tables, plots and their history."""
