"""The laboratory: arena, balance, recorded games as data, and the statistics behind them."""
